"""Access that routes declare: by what checks their callers, and never by saying nothing."""

from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends, FastAPI
from fastapi.routing import APIRoute

from companyos.chassis.web.access import (
    Credential,
    Principal,
    UndeclaredRoute,
    bearer_token,
    is_one_of,
    open_to_anyone,
    principals,
    refuse_undeclared,
    requirements,
    requires,
    served_routes,
)

ADMIN, CONTEXT = Credential.ADMIN_TOKEN, Credential.SIGNED_CONTEXT
TRAINER, OPERATOR = Credential.TRAINER_TOKEN, Credential.OPERATOR_TOKEN


@requires(ADMIN)
class CheckedRoute(APIRoute):
    pass


@requires(CONTEXT)
async def in_context() -> None: ...


@requires(OPERATOR, TRAINER)
async def for_watchers(_inner: Annotated[None, Depends(in_context)]) -> None: ...


async def endpoint() -> None: ...


def declared(router: APIRouter) -> list[Any]:
    app = FastAPI(openapi_url=None)
    app.include_router(router, prefix="/deep")
    return [requirements(route) for route in served_routes(app)]


def test_a_route_class_declares_what_it_checks() -> None:
    router = APIRouter(route_class=CheckedRoute)
    router.get("/x")(endpoint)

    assert declared(router) == [(frozenset({ADMIN}),)]


def test_dependencies_declare_what_they_check_however_deep_they_are() -> None:
    router = APIRouter(route_class=CheckedRoute)
    router.get("/x", dependencies=[Depends(for_watchers)])(endpoint)

    assert declared(router) == [(frozenset({ADMIN}), frozenset({OPERATOR, TRAINER}), frozenset({CONTEXT}))]


def test_an_endpoint_says_that_it_is_open() -> None:
    @open_to_anyone
    async def health() -> None: ...

    router = APIRouter()
    router.get("/health")(health)

    assert declared(router) == [()]


@pytest.mark.parametrize("kind", ["get", "websocket"])
def test_an_application_with_a_route_that_says_nothing_is_refused(kind: str) -> None:
    app, router = FastAPI(openapi_url=None), APIRouter()
    getattr(router, kind)("/forgotten")(endpoint)
    app.include_router(router)

    with pytest.raises(UndeclaredRoute, match="/forgotten"):
        refuse_undeclared(app)


def test_a_mounted_application_says_nothing_and_is_refused() -> None:
    app = FastAPI(openapi_url=None)
    app.mount("/inner", FastAPI(openapi_url=None))

    with pytest.raises(UndeclaredRoute, match="/inner"):
        refuse_undeclared(app)


def test_the_pages_that_fastapi_adds_by_itself_are_refused() -> None:
    with pytest.raises(UndeclaredRoute, match="openapi"):
        refuse_undeclared(FastAPI())


@pytest.mark.parametrize(
    ("required", "able"),
    [
        ((), (Principal.ANYONE,)),
        ((frozenset({ADMIN}),), (Principal.SERVICE,)),
        ((frozenset({ADMIN}), frozenset({CONTEXT})), (Principal.SERVICE,)),
        ((frozenset({TRAINER, OPERATOR}),), (Principal.TRAINER, Principal.OPERATOR)),
        ((frozenset({TRAINER, OPERATOR}), frozenset({OPERATOR, ADMIN})), (Principal.OPERATOR,)),
    ],
)
def test_principals_are_those_who_can_meet_all_requirements(
    required: Any, able: tuple[Principal, ...]
) -> None:
    assert principals(required) == able


@pytest.mark.parametrize(
    ("header", "token"),
    [
        ("Bearer abc", "abc"),
        ("bearer  abc ", "abc"),
        ("abc", ""),
        ("Basic abc", ""),
        ("Bearer", ""),
        ("", ""),
    ],
)
def test_a_bearer_token_is_read(header: str, token: str) -> None:
    assert bearer_token(header) == token


@pytest.mark.parametrize(
    ("token", "accepted", "passes"),
    [
        ("abc", ["abc"], True),
        ("abc", [None, "abc"], True),
        ("abc", ["abcd", "ab"], False),
        ("", [None, ""], False),
        ("\udce9", ["é"], False),
    ],
)
def test_a_token_passes_only_where_it_is_accepted(
    token: str, accepted: list[str | None], passes: bool
) -> None:
    assert is_one_of(token, accepted) is passes
