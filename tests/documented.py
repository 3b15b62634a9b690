"""Generated requests to whatever an OpenAPI document describes: answers are as documented, and never a crash."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from tests.patience import PATIENCE_S
from tests.sizes import size

Operation = APIOperation[Any, Any, Any, Any]
PROMISES = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
#: The requests of one series are the same in every run.
REPEATABLE = settings(
    max_examples=size(4, 25),
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def operations(document: Mapping[str, Any], url: str) -> list[Operation]:
    """Return the operations that an OpenAPI document describes, to be called at a base URL."""
    schema = schemathesis.openapi.from_dict(dict(document))
    schema.config.update(base_url=url)
    return [found.ok() for found in schema.get_all_operations()]  # type: ignore[misc]


def check_answers(
    operation: Operation,
    known_ids: Mapping[str, str],
    headers: Mapping[str, str] | None = None,
    *,
    refuses: bool = True,
) -> int:
    """Send requests as documented and others, to objects that exist and to any; return how many answers were checked.

    Args:
        operation: What is called.
        known_ids: An existing object's id for each parameter of a path.
        headers: What each request brings, such as its signed context.
        refuses: Whether the status of an answer says that a request was unlike the document.

    Raises:
        schemathesis.core.failures.FailureGroup: An answer is not as documented, or refuses nothing that it should.
    """
    names = {parameter.name for parameter in operation.path_parameters}
    known = {name: known_ids[name] for name in names}
    with requests.Session() as session:
        session.headers.update(headers or {})
        return sum(
            _answers_of_series(operation, mode, ids, session, refuses=refuses)
            for mode, ids in _series(known)
            if mode is GenerationMode.POSITIVE or _can_be_asked_wrongly(operation)
        )


def _series(known: Mapping[str, str]) -> list[tuple[GenerationMode, Mapping[str, str] | None]]:
    """Return the kinds of requests, and the ids of their paths: known ones, or any."""
    right, wrong = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
    if not known:
        return [(right, None), (wrong, None)]
    return size([(right, known), (wrong, None)], [*product((right, wrong), (known, None))])


def _can_be_asked_wrongly(operation: Operation) -> bool:
    return bool(len(operation.body) or len(operation.query))


def _answers_of_series(
    operation: Operation,
    mode: GenerationMode,
    ids: Mapping[str, str] | None,
    session: requests.Session,
    *,
    refuses: bool,
) -> int:
    checked = 0
    refusal = [negative_data_rejection] if refuses and mode is GenerationMode.NEGATIVE else []

    @seed(2030)
    @REPEATABLE
    @given(case=operation.as_strategy(mode, path_parameters=ids))
    def check(case: Case[Any]) -> None:
        nonlocal checked
        case.headers.update(session.headers)
        case.call_and_validate(session=session, checks=[*PROMISES, *refusal], timeout=PATIENCE_S)
        checked += 1

    check()
    return checked
