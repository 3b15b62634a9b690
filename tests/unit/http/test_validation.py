"""Errors of requests name the field, what is wrong and what is allowed, and nothing of Pydantic's own."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from orchestrator.http.messages.answers import Invalid
from orchestrator.http.messages.models import StepRequest
from orchestrator.http.openenv.jsonrpc import JsonRpcRequest
from orchestrator.http.openenv.prefetch import ResetsOfSeeds
from orchestrator.protocol.options import ResetOptions


def errors_of(model: type[BaseModel], request: Any) -> Invalid:
    with pytest.raises(ValidationError) as failed:
        model.model_validate(request)
    return Invalid.of(failed.value)


@pytest.mark.parametrize(
    ("model", "request_", "text"),
    [
        (ResetOptions, {"tools": 5}, "tools: Input should be 'scenario' or 'all', or a list"),
        (ResetOptions, {"tools": "al"}, "tools: Input should be 'scenario' or 'all', or a list"),
        (
            ResetOptions,
            {"tools": ["", 7]},
            "tools.0: String should have at least 1 character; tools.1: Input should be a valid string",
        ),
        (
            ResetOptions,
            {"size": 0},
            "size: Input should be greater than or equal to 1, or 'small', 'default', 'large' or 'huge'",
        ),
        (
            ResetOptions,
            {"max_steps": "++6"},
            r"max_steps: Input should be a text that matches ^\+[1-9][0-9]{0,2}$, or a valid integer",
        ),
        (ResetsOfSeeds, {"seeds": []}, "seeds: List should have at least 1 item, not 0"),
        (
            StepRequest,
            {"action": [], "stop": 1},
            "action: Input should be an object; stop: There is no such field",
        ),
        (JsonRpcRequest, [], "Input should be an object"),
    ],
    ids=str,
)
def test_an_error_is_about_the_field_as_it_was_sent(model: type[BaseModel], request_: Any, text: str) -> None:
    assert str(errors_of(model, request_)) == text


def test_a_value_with_several_forms_is_one_error_that_shows_it() -> None:
    (flaw,) = errors_of(ResetOptions, {"size": "big"}).flaws

    assert (flaw["loc"], flaw["input"]) == (["size"], "big")
