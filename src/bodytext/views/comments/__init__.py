"""Find the comments of a page, or the posts of a thread."""

from bodytext.views.comments.post import Post
from bodytext.views.comments.posts import find_posts
from bodytext.views.comments.sections import comment_blocks

__all__ = ["Post", "comment_blocks", "find_posts"]
