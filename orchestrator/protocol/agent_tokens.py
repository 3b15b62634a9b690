"""Agent tokens, each of which lets an agent play one episode through the agent API.

Every episode gets a new token, even under a name that was used before, so an old token grants nothing. Only
the digest is stored: every replica recognizes the token, and no database dump contains it.
"""

from __future__ import annotations

import re
import secrets
from base64 import urlsafe_b64encode
from hashlib import blake2b
from typing import Any

from companyos.cells.names import CELL_NAME, named_in

from .problems import Refusal

#: Lets people and secret scanners recognize a leaked token.
PREFIX = "cosagent_"
#: The paths of the agent API, by their names in `agent_urls`.
_PATHS = {"rest": "", "mcp": "/mcp", "task": "/task", "tools": "/tools", "web": "/web/"}
_RANDOM_BYTES = 32
_DIGEST_BYTES = 32
_FORM = re.compile(rf"{PREFIX}({CELL_NAME}\.)?[A-Za-z0-9_-]{{43}}")


def new_agent_token(cell: str = "") -> str:
    """Return a token of 256 random bits, which names its cell to a router."""
    return PREFIX + named_in(cell, secrets.token_urlsafe(_RANDOM_BYTES))


def repeatable_agent_token(cell: str, episode_id: str, key: str, secret: str) -> str:
    """Return the same token for every reset of an episode with one key; without the stack's secret nobody can."""
    named = f"{len(episode_id)} {episode_id}{key}".encode("utf-8", "surrogatepass")
    own = blake2b(secret.encode(), digest_size=blake2b.MAX_KEY_SIZE).digest()
    digest = blake2b(named, digest_size=_RANDOM_BYTES, key=own, person=b"reset").digest()
    return PREFIX + named_in(cell, urlsafe_b64encode(digest).rstrip(b"=").decode())


def is_agent_token(token: str) -> bool:
    """Return whether a text has the form of a token, so that other texts need no lookup."""
    return _FORM.fullmatch(token) is not None


def agent_digest(token: str) -> str:
    """Return the form in which a token is stored and looked up."""
    return blake2b(
        token.encode("utf-8", "surrogateescape"), digest_size=_DIGEST_BYTES, person=b"agent"
    ).hexdigest()


def agent_access(token: str, url: str) -> dict[str, Any]:
    """Return what a trainer passes on to an agent: `agent_token`, and `agent_urls` under the API's URL."""
    return {"agent_token": token, "agent_urls": {name: url + path for name, path in _PATHS.items()}}


def agent_token_invalid() -> Refusal:
    """Return the refusal of a token that belongs to no episode."""
    detail = (
        "Send the token you were given as 'Authorization: Bearer <token>'. It is valid for one task, as long as "
        "that can be worked on."
    )
    return Refusal(401, "agent_token_invalid", detail)


def agent_token_expired() -> Refusal:
    """Return the refusal of a token whose episode is over."""
    return Refusal(401, "agent_token_expired", "Your work on this task has ended, and this token with it.")
