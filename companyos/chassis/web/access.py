"""Access to routes: the principals, their credentials, and the requirements that every route declares.

What checks a credential also declares it: `@requires` marks a check (a dependency of a route, or a route class) with
the credentials that pass it, so that the documented access of a route is the enforced one. A route without any check
is refused at startup unless its endpoint says `@open_to_anyone`.
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
    """Who calls."""

    ANYONE = "anyone"
    TRAINER = "trainer"
    AGENT = "agent"
    SERVICE = "service"
    OPERATOR = "operator"


class Credential(StrEnum):
    """What a caller proves itself with."""

    TRAINER_TOKEN = "trainer token"  # noqa: S105 - names, not secrets
    AGENT_TOKEN = "agent token"  # noqa: S105
    OPERATOR_TOKEN = "operator token"  # noqa: S105
    ADMIN_TOKEN = "admin token"  # noqa: S105
    SIGNED_CONTEXT = "signed context"

    @property
    def principal(self) -> Principal:
        """The principal that has such a credential; the orchestrator has those of services."""
        match self:
            case Credential.TRAINER_TOKEN:
                return Principal.TRAINER
            case Credential.AGENT_TOKEN:
                return Principal.AGENT
            case Credential.OPERATOR_TOKEN:
                return Principal.OPERATOR
            case Credential.ADMIN_TOKEN | Credential.SIGNED_CONTEXT:
                return Principal.SERVICE


#: Credentials any one of which passes a check. A route is open to callers who pass all of its checks.
Requirement = frozenset[Credential]
Requirements = tuple[Requirement, ...]


class UndeclaredRoute(Exception):
    """A route neither checks a credential nor says that it is open to anyone."""


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
    """Return every route of an application, those of included routers too, in matching order.

    Each has a `path`, an `endpoint`, and except for WebSockets `methods`.
    """
    # FastAPI from 0.137 on keeps included routers as they are, and offers this to see through them.
    flattened = getattr(routing, "iter_route_contexts", None)
    return list(app.routes) if flattened is None else list(flattened(app.routes))


def requirements(route: Any) -> Requirements:
    """Return what a served route requires; nothing if it is open to anyone.

    Raises:
        UndeclaredRoute: The route does not say.
    """
    found = tuple(_requirements(route))
    if found or getattr(getattr(route, "endpoint", None), "open_to_anyone", False):
        return found
    raise UndeclaredRoute(
        f"{getattr(route, 'path', route)} checks no credential. Give it a dependency marked with `requires`, "
        "or mark its endpoint with `open_to_anyone`."
    )


def refuse_undeclared(app: FastAPI) -> None:
    """Refuse to serve an application in which the access to some route is undeclared.

    Raises:
        UndeclaredRoute: A route does not say what it requires.
    """
    for route in served_routes(app):
        requirements(route)


def principals(required: Requirements) -> tuple[Principal, ...]:
    """Return who has the credentials for some requirements, in the order of `Principal`."""
    if not required:
        return (Principal.ANYONE,)
    able = [{credential.principal for credential in each} for each in required]
    return tuple(principal for principal in Principal if all(principal in each for each in able))


def bearer_token(authorization: str) -> str:
    """Return the token of an `Authorization` header; an empty string if it has none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def is_one_of(token: str, accepted: Iterable[str | None]) -> bool:
    """Return whether a token is one of the accepted ones, in a time that tells nothing about them."""
    given = digest(token)
    return any(hmac.compare_digest(given, digest(each)) for each in accepted if each)


def digest(token: str) -> bytes:
    """Return a digest of a token; digests have one length, so that comparing them does not reveal the token's."""
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
