"""Access to routes: the principals, their credentials, and the requirements that every route declares.

The code that checks a credential also declares it: `@requires` marks a check (a dependency of a route, or a
route class) with the credentials that pass it, so the documented access to a route is the access enforced.
Startup fails if a route has no check and its endpoint is not marked `@open_to_anyone`.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, TypeVar

from fastapi import FastAPI, routing
from fastapi.dependencies.models import Dependant

Checked = TypeVar("Checked", bound=Callable[..., Any])


class Principal(StrEnum):
    """The kind of caller."""

    ANYONE = "anyone"
    TRAINER = "trainer"
    ROLLOUT = "rollout"
    GRADER = "grader"
    AGENT = "agent"
    SERVICE = "service"
    OPERATOR = "operator"


class Credential(StrEnum):
    """The proof of identity that a caller presents."""

    TRAINER_TOKEN = "trainer token"  # noqa: S105 - names, not secrets
    ROLLOUT_TOKEN = "rollout token"  # noqa: S105
    GRADER_TOKEN = "grader token"  # noqa: S105
    AGENT_TOKEN = "agent token"  # noqa: S105
    OPERATOR_TOKEN = "operator token"  # noqa: S105
    ADMIN_TOKEN = "admin token"  # noqa: S105
    SIGNED_CONTEXT = "signed context"

    @property
    def principal(self) -> Principal:
        """The principal that holds this credential; the orchestrator holds those of services."""
        match self:
            case Credential.TRAINER_TOKEN:
                return Principal.TRAINER
            case Credential.ROLLOUT_TOKEN:
                return Principal.ROLLOUT
            case Credential.GRADER_TOKEN:
                return Principal.GRADER
            case Credential.AGENT_TOKEN:
                return Principal.AGENT
            case Credential.OPERATOR_TOKEN:
                return Principal.OPERATOR
            case Credential.ADMIN_TOKEN | Credential.SIGNED_CONTEXT:
                return Principal.SERVICE


#: The credentials that pass a check; any one is enough. A caller must pass all checks of a route.
Requirement = frozenset[Credential]
Requirements = tuple[Requirement, ...]


class UndeclaredRoute(Exception):
    """A route neither checks a credential nor is marked as open to anyone."""


def requires(*credentials: Credential) -> Callable[[Checked], Checked]:
    """Mark a check with the credentials that pass it."""

    def mark(check: Checked) -> Checked:
        check.requires = frozenset(credentials)  # type: ignore[attr-defined]
        return check

    return mark


def open_to_anyone(endpoint: Checked) -> Checked:
    """Mark an endpoint as one that needs no credential."""
    endpoint.open_to_anyone = True  # type: ignore[attr-defined]
    return endpoint


def served_routes(app: FastAPI) -> list[Any]:
    """Return every route of an application, including those of included routers, in matching order.

    Each has a `path`, an `endpoint` and, except for WebSockets, `methods`.
    """
    # FastAPI 0.137 and later keep included routers nested and provide this function to flatten them.
    flattened = getattr(routing, "iter_route_contexts", None)
    return list(app.routes) if flattened is None else list(flattened(app.routes))


def requirements(route: Any) -> Requirements:
    """Return the requirements of a served route, empty if it is open to anyone.

    Raises:
        UndeclaredRoute: The route declares no access.
    """
    found = tuple(_requirements(route))
    if found or getattr(getattr(route, "endpoint", None), "open_to_anyone", False):
        return found
    raise UndeclaredRoute(
        f"{getattr(route, 'path', route)} checks no credential. Give it a dependency marked with `requires`, "
        "or mark its endpoint with `open_to_anyone`."
    )


def refuse_undeclared(app: FastAPI) -> None:
    """Refuse to serve an application that has a route without declared access.

    Raises:
        UndeclaredRoute: A route declares no access.
    """
    for route in served_routes(app):
        requirements(route)


def principals(required: Requirements) -> tuple[Principal, ...]:
    """Return the principals whose credentials meet the requirements, in the order of `Principal`."""
    if not required:
        return (Principal.ANYONE,)
    able = [{credential.principal for credential in each} for each in required]
    return tuple(principal for principal in Principal if all(principal in each for each in able))


def bearer_token(authorization: str) -> str:
    """Return the token of an `Authorization` header, or an empty string if it has none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def is_one_of(token: str, accepted: Iterable[str | None]) -> bool:
    """Return whether a token is accepted; the comparison time reveals nothing about the accepted tokens."""
    given = digest(token)
    return any(hmac.compare_digest(given, digest(each)) for each in accepted if each)


def digest(token: str) -> bytes:
    """Return a digest of a token; comparing digests, which have equal lengths, does not reveal its length."""
    return hashlib.blake2b(token.encode("utf-8", "surrogateescape")).digest()


def _requirements(route: Any) -> Iterator[Requirement]:
    if (own := getattr(getattr(route, "original_route", route), "requires", None)) is not None:
        yield own
    if (dependant := getattr(route, "dependant", None)) is not None:
        yield from (check.requires for check in _checks(dependant) if hasattr(check, "requires"))


def _checks(dependant: Dependant) -> Iterator[Any]:
    for dependency in dependant.dependencies:
        yield dependency.call
        yield from _checks(dependency)
