"""What the client makes of answers: what it repeats, which error a refusal is, and how it travels."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.client.base import BaseEnv
from companyos.client.conversation import (
    PAUSES_S,
    Conversation,
    Pause,
    Plan,
)
from companyos.client.errors import (
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
    Refused,
    StepsLost,
    TokenRefused,
    Unavailable,
)
from companyos.client.model_output import MAX_DEPTH, MAX_RAW, MAX_VALUES, action_of
from companyos.client.records import Record
from companyos.client.transport import Answer, Lost, Request

ASKED = Request("GET", "/state")


def drive(plan: Plan[Any], *answers: Answer | Lost) -> tuple[Any, list[float], list[Request]]:
    """Return the result, the pauses and the requests of a plan; the last answer is repeated."""
    pauses: list[float] = []
    requests: list[Request] = []
    outcome: Answer | Lost | None = None
    try:
        while True:
            wanted = plan.send(outcome)
            if isinstance(wanted, Pause):
                pauses.append(wanted.seconds)
                outcome = None
            else:
                outcome = answers[min(len(requests), len(answers) - 1)]
                requests.append(wanted)
    except StopIteration as end:
        return end.value, pauses, requests


def asked(*answers: Answer | Lost) -> tuple[Any, list[float], list[Request]]:
    return drive(Conversation("http://there").ask(ASKED), *answers)


OK = Answer(200, {"fine": True})
NOT_OURS = (
    "http://there answered 400 Bad Request with application/json, not in the words of CompanyOS, so perhaps by a proxy "
    "in front of it: "
)


@pytest.mark.parametrize(
    ("answer", "is_repeated"),
    [
        (Lost("reset"), True),
        (Answer(502, "<html>"), True),
        (Answer(503, ""), True),
        (Answer(504, None), True),
        (Answer(500, "oops"), False),
        (Answer(429, {"type": "busy"}), False),
        (Answer(409, {"type": "busy", "retryable": True}), True),
        (Answer(503, {"type": "down", "retryable": False}), False),
        (Answer(200, {"retryable": True}), True),
        (Answer(200, []), False),
    ],
    ids=str,
)
def test_an_answer_is_asked_for_again_where_that_can_help(answer: Answer | Lost, is_repeated: bool) -> None:
    plan = Conversation("http://there").ask(ASKED)
    next(plan)

    try:
        following: Any = plan.send(answer)
    except (StopIteration, Refused):
        following = None

    assert isinstance(following, Pause) is is_repeated


@pytest.mark.parametrize("failures", range(len(PAUSES_S) + 1))
def test_pauses_grow_until_an_answer_comes(failures: int) -> None:
    answer, pauses, requests = asked(*[Lost("reset")] * failures, OK)

    assert answer == {"fine": True}
    assert pauses == list(PAUSES_S[:failures])
    assert requests == [ASKED] * (failures + 1)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (409, "no_episode", NoEpisode),
        (404, "episode_unknown", NoEpisode),
        (409, "episode_done", EpisodeOver),
        (410, "episode_expired", EpisodeOver),
        (409, "step_out_of_order", StepsLost),
        (403, "trainer_token_required", TokenRefused),
        (401, "anything", TokenRefused),
        (422, "invalid_chaos", InvalidRequest),
        (429, "full", Unavailable),
        (400, "scenario_unknown", Refused),
        (500, "grader_failed", Refused),
    ],
)
def test_a_refusal_has_the_error_of_its_code_or_else_of_its_status(
    status: int, code: str, kind: type[Refused]
) -> None:
    with pytest.raises(Refused) as refused:
        asked(Answer(status, {"type": code, "detail": "Why.", "retryable": False}))

    assert type(refused.value) is kind
    assert (refused.value.status, refused.value.code) == (status, code)
    assert str(refused.value) == f"Why. ({code})"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("x" * 500, f"{NOT_OURS}'{'x' * 200}'. (http_400)"),
        (None, f"{NOT_OURS}'None'. (http_400)"),
        ({}, f"{NOT_OURS}'{{}}'. (http_400)"),
        ({"detail": []}, " (invalid_request)"),
        (
            {"detail": [{"loc": ["body", 0, "seed"], "msg": "too big"}, {}]},
            "body.0.seed: too big; :  (invalid_request)",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_refusal_without_the_usual_form_is_told_all_the_same(body: Any, told: str) -> None:
    with pytest.raises(Refused) as refused:
        asked(Answer(400, body))

    assert str(refused.value) == told


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("argument", "is_sent"),
    [
        (nested(MAX_DEPTH - 3), True),
        (nested(MAX_DEPTH - 2), False),
        ([0] * (MAX_VALUES - 5), True),
        ([0] * MAX_VALUES, False),
        ("a\\u0000b", True),
        ("a\0b", False),
        ("\ud800", False),
        (float("nan"), False),
        (2**200, True),
    ],
    ids=lambda value: str(value)[:20],
)
def test_an_action_that_no_server_can_take_is_reported_as_output(argument: Any, is_sent: bool) -> None:
    action = {"tool_name": "wait", "arguments": {"x": argument}}

    found = action_of(action)

    assert (found == action) is is_sent
    assert (found.get("type") == "invalid") is not is_sent


@pytest.mark.parametrize("length", [MAX_RAW - 1, MAX_RAW, MAX_RAW + 1])
def test_an_output_is_reported_up_to_a_length(length: int) -> None:
    assert len(action_of("x" * length)["raw"]) == min(length, MAX_RAW)


@settings(max_examples=50)
@given(st.text(max_size=40))
def test_any_text_is_an_action_that_databases_can_store(text: str) -> None:
    action = action_of(text)

    assert "\0" not in str(action.get("raw", ""))
    assert action_of(action) == action


@pytest.mark.parametrize(
    ("options", "tools"),
    [
        ({}, "scenario"),
        ({"tools": "all"}, "all"),
        ({"tools": ["wait"]}, ["wait"]),
        ({"snapshot": None}, "scenario"),
        ({"snapshot": "snap-1"}, None),
        ({"snapshot": "snap-1", "tools": "all"}, "all"),
    ],
    ids=str,
)
def test_a_reset_asks_for_the_tools_of_the_scenario_unless_a_snapshot_decides(
    options: Mapping[str, Any], tools: Any
) -> None:
    request = next(Conversation("http://there").reset(options))

    assert isinstance(request, Request)
    assert request.body.get("tools") == tools


@pytest.mark.parametrize(
    ("own", "named", "replaces"),
    [(None, None, True), ("e1", None, True), ("e1", "e1", True), ("e1", "e2", False), (None, "e2", False)],
)
def test_a_reset_replaces_only_an_episode_of_its_own(
    own: str | None, named: str | None, replaces: bool
) -> None:
    episode = Conversation("http://there")
    episode.id = own

    request = next(episode.reset({"episode_id": named} if named else {}))

    assert isinstance(request, Request)
    assert request.body.get("replace", False) is replaces
    assert request.body["episode_id"] == named if named else len(request.body["episode_id"]) == 32


def test_a_missing_field_of_a_record_names_those_there_are() -> None:
    record = Record(step=1, done=False)

    assert record.step == 1
    with pytest.raises(AttributeError, match="there is no field 'stop'; the fields are step, done"):
        _ = record.stop


def test_a_detached_client_has_no_episode_and_the_server_keeps_it() -> None:
    client = BaseEnv("http://there/")
    client._episode.id = "e1"

    assert client.detach() == "e1"
    assert client.episode_id is None
    assert client.agent_access == {}
