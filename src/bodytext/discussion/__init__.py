"""find_posts: Page -> its comments, or the posts of a thread; comment_blocks: Page -> where comments stand."""

from bodytext.discussion.post import Post
from bodytext.discussion.posts import find_posts
from bodytext.discussion.sections import comment_blocks

__all__ = ["Post", "comment_blocks", "find_posts"]
