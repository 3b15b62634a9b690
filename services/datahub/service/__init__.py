"""DataHub's rules: one public method per tool, and one per reaction to an event or to the clock."""

from .access import Accesses
from .directory import Directory
from .metrics import Metrics
from .receipts import keep_receipt, receipt_id
from .records import Records

__all__ = ["Accesses", "Directory", "Metrics", "Records", "keep_receipt", "receipt_id"]
