"""What a client saw of the agent API, printed as JSON; any client's types will do."""

import json
import sys
from typing import Any


def call_plan() -> tuple[str, str, list[dict[str, Any]]]:
    """Return the URL, the token, and the calls to make."""
    url, token, calls = sys.argv[1:]
    return url, token, json.loads(calls)


def seen(result: Any) -> dict[str, Any]:
    """Return a tool's result, whatever the client calls its parts."""
    structured = getattr(result, "structured_content", None) or getattr(result, "structuredContent", None)
    failed = getattr(result, "is_error", None)
    return {
        "text": result.content[0].text,
        "structured": structured,
        "is_error": result.isError if failed is None else failed,
    }


def show(**facts: Any) -> None:
    """Print the report."""
    print(json.dumps(facts))
