"""find_posts: Page -> its comments or, of a thread, a question or a chat, its posts, in order."""

from bodytext.discussion.posts import Post, find_posts

__all__ = ["Post", "find_posts"]
