"""The page of events."""

from services import manifests

from .markdown import document, table


def page() -> str:
    """Return the page."""
    names = sorted({name for one in manifests() for name in [*one["publishes"], *one["consumes"]]})
    rows = [f"| `{name}` | {_users('publishes', name)} | {_users('consumes', name)} |" for name in names]
    text = "Services publish these events on the Redis Streams `events:<name>`."
    return document("Events", text, table(["event", "published by", "consumed by"], rows))


def _users(kind: str, name: str) -> str:
    return ", ".join(one["title"] for one in manifests() if name in one[kind]) or "nobody"
