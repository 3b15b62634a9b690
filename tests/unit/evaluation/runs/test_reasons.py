"""Agent errors that differ only in what changes from request to request are one reason."""

import pytest

from companyos.evaluation.runs import EpisodeEnding
from companyos.evaluation.runs.reasons import counted_reasons, reason_of

from .samples import record


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("401: bad key (request id: req_011CSHoEeqs5C35K2)", "401: bad key (request id: req_9f8e7d6c5b4a3)"),
        ("503 for 3f2c9a54-1d0e-4b7a-9c61-aa11bb22cc33", "503 for 9e107d9d-372b-4b6d-8a14-ff00ee11dd22"),
        ("429: used 29876, try again in 1.234s", "429: used 31002, try again in 854ms"),
        ("<Agent object at 0x7f2634aa>", "<Agent object at 0x7f2634bc>"),
    ],
)
def test_ids_times_and_amounts_make_no_other_reason(one: str, other: str) -> None:
    assert reason_of(one) == reason_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Error code: 401", "Error code: 403"),
        ("gpt-5 at its vendor: refused", "gpt-4 at its vendor: refused"),
        ("said nothing, 3 times in a row", "cannot read the task"),
    ],
)
def test_other_statuses_models_and_words_are_other_reasons(one: str, other: str) -> None:
    assert reason_of(one) != reason_of(other)


def test_reasons_are_counted_over_agent_errors_alone_and_told_in_one_line() -> None:
    errors = ["rare", "gone\n  req_1a2b3c4d", "gone req_5e6f7a8b"]
    records = [
        record(seed, ended=EpisodeEnding.AGENT_ERROR, agent_error=told) for seed, told in enumerate(errors)
    ]

    assert counted_reasons([*records, record(9)]) == {"gone req_1a2b3c4d": 2, "rare": 1}
