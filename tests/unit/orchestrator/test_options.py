"""A reset's options are checked, and what means nothing here is told back."""

from typing import Any

import pytest
from pydantic import ValidationError

from companyos.sdk.company import SIZES
from orchestrator.protocol.options import ROWS_OF, ResetOptions, requested_chaos
from orchestrator.runtime.settings import Settings


def test_unknown_keys_are_kept_aside_in_order() -> None:
    assert ResetOptions.model_validate({"zeta": 1, "alpha": 2, "seed": 3}).ignored == ["alpha", "zeta"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 2**63},
        {"seed": "seven"},
        {"seed": "7.5"},
        {"seed": ""},
        {"seed": True},
        {"seed": 1.5},
        {"scenario": ""},
        {"scenario": 3},
        {"rewards": "generous"},
        {"reward_mode": "late"},
        {"episode_id": ""},
        {"episode_id": "x" * 256},
        {"episode_id": "."},
        {"episode_id": ".."},
        {"episode_id": "a\nb"},
        {"episode_id": "\x85"},
        {"max_steps": 0},
        {"max_steps": 1001},
        {"size": 0},
        {"size": 200_001},
        {"size": "enormous"},
        {"chaos": 1.5},
        {"chaos": None},
    ],
)
def test_an_impossible_option_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ResetOptions.model_validate(wrong)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"seed": "7"}, {"seed": 7}),
        ({"seed": 4.0, "max_steps": "20", "size": "400"}, {"seed": 4, "max_steps": 20, "size": 400}),
        ({"size": "small"}, {"size": "small"}),
        ({"tools": '[{"type": "function", "function": {"name": "finish"}}]'}, {"tools": ("finish",)}),
        ({"tools": [{"name": "wait"}, "finish"]}, {"tools": ("wait", "finish")}),
        ({"tools": "[]"}, {"tools": "all"}),
    ],
)
def test_a_value_of_a_data_set_is_read_as_it_is_meant(given: dict[str, Any], meant: dict[str, Any]) -> None:
    assert ResetOptions.model_validate(given).model_dump(include=set(meant)) == meant


@pytest.mark.parametrize("value", [0, "0", 0.0, "calm"])
def test_a_chaos_level_may_be_written_as_text(value: Any) -> None:
    assert requested_chaos(ResetOptions.model_validate({"chaos": value}).chaos).level == 0


def test_a_company_has_about_as_many_rows_as_its_builder_makes() -> None:
    assert ROWS_OF == SIZES
    assert ResetOptions().company_rows == SIZES["default"]
    assert ResetOptions(size="huge").company_rows == SIZES["huge"]
    assert ResetOptions(size=777).company_rows == 777


SECRETS = {
    "database_url": "postgresql://x",
    "redis_url": "redis://x",
    "context_key": "k" * 16,
    "admin_token": "t" * 16,
}


def test_services_are_read_in_the_order_given() -> None:
    settings = Settings.model_validate({**SECRETS, "services": "desk=http://a:1/, hub=http://b:2"})

    assert settings.services == {"desk": "http://a:1", "hub": "http://b:2"}
    assert list(settings.services) == ["desk", "hub"]


@pytest.mark.parametrize("services", ["desk", "=http://a", "desk=", "a b=http://x"])
def test_services_that_cannot_be_read_are_refused(services: str) -> None:
    with pytest.raises(ValidationError, match="name=http"):
        Settings.model_validate({**SECRETS, "services": services})


def test_agents_may_use_the_names_at_which_the_agent_api_is_published() -> None:
    given = {"agent_url": "https://a.example/agent", "allowed_hosts": "b.example, C.example"}

    settings = Settings.model_validate({**SECRETS, "services": {}, **given})

    assert settings.agent_hosts >= {"a.example", "b.example", "c.example"}
