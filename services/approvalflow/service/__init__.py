"""What ApprovalFlow does: types and policies, acts on requests, their course in between, news from elsewhere."""

from .catalogue import Catalogue
from .lifecycle import Lifecycle
from .news import News
from .policies import Policies
from .requests import Requests, Standing

__all__ = ["Catalogue", "Lifecycle", "News", "Policies", "Requests", "Standing"]
