"""ApprovalFlow's rules: types and policies, acts on requests, their lifecycle, and events from other services."""

from .catalog import Catalog
from .lifecycle import Lifecycle
from .news import News
from .policies import Policies
from .quarantines import Quarantines
from .requests import Requests, Standing

__all__ = ["Catalog", "Lifecycle", "News", "Policies", "Quarantines", "Requests", "Standing"]
