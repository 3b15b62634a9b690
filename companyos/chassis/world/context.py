"""The signed context: the world and simulated time of a call, its actor and its cause.

The orchestrator signs it, and services trust nothing else. Every call carries it in `X-Companyos-Context`,
and every event contains it, so a reaction runs in the world, at the time and for the cause of its event.
"""

import base64
import binascii
import hmac
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import orjson

from ..errors import ContextRefused

HEADER = "x-companyos-context"


@dataclass(frozen=True, slots=True)
class Context:
    """One call's place in the simulation.

    Attributes:
        world: Number of the world. Work in one world is serialized.
        chain: Layer ids in ascending order, oldest first. The first is the base (negative); the last is written.
        now: Simulated time, seconds since the simulated epoch.
        actor: Person id of the actor.
        role: Role of the actor.
        cause: Cause id of the call: `s5` for step 5, `s5.t3600` for the clock, an event id in a reaction.
        key: Idempotency key of this call in its world.
        acks: Redis stream on which reactions are acknowledged, or None.
        epoch: Epoch of the database in which the step began (see `epochs`); empty if irrelevant.
        injected_response: Response to return instead of carrying out the call (see `injected_responses`).
        hold: Whether consumers defer the events that the call causes.
        armed: Whether this world has an event fault plan. If not, consumers skip the check.
    """

    world: int
    chain: tuple[int, ...]
    now: int
    actor: str
    role: str
    cause: str
    key: str
    acks: str | None = None
    epoch: str = ""
    injected_response: str | None = None
    hold: bool = False
    armed: bool = False

    @property
    def layer(self) -> int:
        """The layer that this world writes."""
        return self.chain[-1]

    def caused_by(self, event_id: str) -> "Context":
        """Return the context of a reaction to an event: same world and time, new cause."""
        return replace(self, cause=event_id, key=event_id)


def sign(context: Context, key: str) -> str:
    """Encode the context as a token that `read` accepts with the same key."""
    body = base64.urlsafe_b64encode(orjson.dumps(context)).decode()
    return f"{body}.{signature(body.encode(), key)}"


def read(token: str, key: str) -> Context:
    """Decode and verify a token.

    Raises:
        ContextRefused: The token is missing, malformed, signed by another key, or names no usable chain.
    """
    body, _, signed = token.partition(".")
    if not hmac.compare_digest(signature(body.encode(), key).encode(), signed.encode()):
        raise ContextRefused(
            "The context is missing or its signature is wrong. Calls come from the orchestrator."
        )
    try:
        fields: dict[str, Any] = orjson.loads(base64.urlsafe_b64decode(body))
        context = Context(**{**fields, "chain": tuple(fields["chain"])})
    except (binascii.Error, ValueError, TypeError, KeyError) as error:
        raise ContextRefused("The context cannot be read.") from error
    if not _is_chain(context.chain):
        raise ContextRefused("The context names no chain of layers that can be written.")
    return context


def signature(message: bytes, key: str) -> str:
    """Return the keyed BLAKE2b of a message in hex: a MAC like HMAC-SHA256, without OpenSSL's overhead."""
    return blake2b(message, key=_key_bytes(key), digest_size=32).hexdigest()


@lru_cache(maxsize=8)
def _key_bytes(key: str) -> bytes:
    # BLAKE2b takes keys of up to 64 bytes, and a setting may be longer.
    return blake2b(key.encode()).digest()


def _is_chain(chain: tuple[int, ...]) -> bool:
    whole = all(type(layer) is int for layer in chain)
    return whole and len(chain) >= 2 and list(chain) == sorted(set(chain)) and chain[0] < 0 < chain[-1]
