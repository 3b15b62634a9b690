"""What the tools of services owe to whoever reads them."""

from typing import Any


def explains_itself(name: str, schema: dict[str, Any]) -> bool:
    """Say whether an argument needs no description: an id, or a choice among words that are listed."""
    variants = schema.get("anyOf", [schema])
    is_id = name.endswith("_id") or name in ("role", "kind")
    return is_id or any("enum" in variant for variant in variants)
