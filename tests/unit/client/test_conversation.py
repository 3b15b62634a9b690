"""What the client repeats and what it never repeats, read off its conversation with a server."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from companyos.client.conversation import (
    MOST_RENUMBERED,
    PAUSES_S,
    Conversation,
    Pause,
    Plan,
)
from companyos.client.errors import (
    InvalidRequest,
    NoEpisode,
    Refused,
    ServerUnreachable,
    StepsLost,
    Unavailable,
)
from companyos.client.transport import Answer, Lost, Request

UNHEARD = Lost("reset by peer")
BUSY = Answer(503, {"type": "step_unsettled", "detail": "Send it again.", "retryable": True})
ACTION = {"tool_name": "finish"}


def turn(step: int, *, done: bool = False) -> Answer:
    metadata = {"episode_id": "e1"}
    return Answer(200, {"observation": {"step": step}, "reward": None, "done": done, "metadata": metadata})


def converse(plan: Plan[Any], *outcomes: Answer | Lost) -> tuple[Any, list[Request]]:
    """Return what the plan came to and what it sent, when these are the outcomes; pauses take no time."""
    said, waiting = [], list(outcomes)
    outcome: Answer | Lost | None = None
    try:
        while True:
            wanted = plan.send(outcome)
            outcome = None
            if not isinstance(wanted, Pause):
                said.append(wanted)
                outcome = waiting.pop(0)
    except StopIteration as end:
        assert waiting == []
        return end.value, said


@pytest.fixture
def episode() -> Conversation:
    begun = Conversation("http://there")
    converse(begun.reset({}), turn(0))
    return begun


def test_a_client_whose_steps_were_lost_says_so_and_counts_from_where_the_episode_stands(
    episode: Conversation,
) -> None:
    for step in (1, 2):
        converse(episode.step(ACTION, None), turn(step))
    out_of_order = Answer(409, {"type": "step_out_of_order", "detail": "The next is 2.", "retryable": False})

    with pytest.raises(StepsLost):
        converse(episode.step(ACTION, None), out_of_order, Answer(200, {"step_count": 1}))
    _, [again] = converse(episode.step(ACTION, None), turn(2))

    assert again.body is not None
    assert again.body["step"] == 2


def test_a_grade_of_fewer_steps_than_were_answered_is_no_grade_of_them(episode: Conversation) -> None:
    converse(episode.step(ACTION, None), turn(1))
    converse(episode.step(ACTION, None), turn(2, done=True))
    card = Answer(200, {"step_count": 1, "done": False, "success": False})

    with pytest.raises(StepsLost, match="Step 2 was answered, and the server knows 1 steps"):
        converse(episode.grade(None), card)
    _, [again] = converse(episode.step(ACTION, None), turn(2, done=True))
    graded, _ = converse(episode.grade(None), Answer(200, {"step_count": 2, "done": True, "success": True}))

    assert again.body is not None
    assert (again.body["step"], graded["success"]) == (2, True)


@pytest.mark.parametrize("outcome", [UNHEARD, BUSY, Answer(502, "bad gateway")])
def test_a_step_is_sent_again_under_its_number(episode: Conversation, outcome: Answer | Lost) -> None:
    result, said = converse(episode.step(ACTION, None), outcome, outcome, turn(1))

    assert result.observation.step == 1
    assert [request.body for request in said] == [{"episode_id": "e1", "action": ACTION, "step": 1}] * 3


CONFLICT = Answer(409, {"type": "step_conflict", "detail": "The next is 3.", "retryable": False})


def numbers(said: list[Request]) -> list[int | None]:
    """Return the number of each step that was sent, None for another request."""
    return [request.body and request.body.get("step") for request in said]


def test_a_step_whose_number_an_agent_used_is_played_as_the_next(episode: Conversation) -> None:
    standing = [Answer(200, {"step_count": count}) for count in (2, 3)]

    result, said = converse(episode.step(ACTION, None), CONFLICT, standing[0], CONFLICT, standing[1], turn(4))

    assert result.observation.step == 4
    assert numbers(said) == [1, None, 3, None, 4]


def test_an_unheard_step_is_played_once_though_an_agent_used_its_number(episode: Conversation) -> None:
    _, said = converse(
        episode.step(ACTION, None), UNHEARD, CONFLICT, Answer(200, {"step_count": 1}), UNHEARD, turn(2)
    )

    assert numbers(said) == [1, 1, None, 2, 2]


def test_a_step_that_was_given_up_and_played_all_the_same_is_not_passed_over(episode: Conversation) -> None:
    with pytest.raises(ServerUnreachable):
        converse(episode.step(ACTION, None), *[UNHEARD] * (len(PAUSES_S) + 1))

    with pytest.raises(Refused, match="step_conflict"):
        converse(episode.step({"tool_name": "wait"}, None), CONFLICT, Answer(200, {"step_count": 1}))
    _, said = converse(episode.step({"tool_name": "wait"}, None), turn(2))

    assert numbers(said) == [2]


def test_a_step_whose_number_is_used_again_and_again_is_given_up(episode: Conversation) -> None:
    always = [CONFLICT, Answer(200, {"step_count": 1})] * MOST_RENUMBERED

    with pytest.raises(Refused, match="step_conflict"):
        converse(episode.step(ACTION, None), *always)


def test_the_number_follows_the_server(episode: Conversation) -> None:
    converse(episode.step(ACTION, None), turn(1))

    _, (request,) = converse(episode.step(ACTION, 2.5), turn(2))

    assert request.body == {"episode_id": "e1", "action": ACTION, "step": 2, "timeout_s": 2.5}


def test_the_number_goes_on_where_the_snapshot_of_a_reset_was_taken() -> None:
    begun = Conversation("http://there")
    converse(begun.reset({"snapshot": "snap-7"}), turn(4))

    _, (request,) = converse(begun.step(ACTION, None), turn(5))

    assert request.body is not None
    assert request.body["step"] == 5


def test_a_step_that_failed_for_good_keeps_its_number(episode: Conversation) -> None:
    with pytest.raises(Unavailable):
        converse(episode.step(ACTION, None), *[BUSY] * (len(PAUSES_S) + 1))

    _, (request,) = converse(episode.step(ACTION, None), turn(1))

    assert request.body is not None
    assert request.body["step"] == 1


@pytest.mark.parametrize("options", [{"seed": 1}, {"seed": 1, "episode_id": "mine"}])
def test_an_unheard_reset_is_repeated_under_its_name(options: dict[str, Any]) -> None:
    _, said = converse(Conversation("http://there").reset(options), UNHEARD, turn(0))

    assert said[0] == said[1]
    assert said[0].body is not None
    assert said[0].body["episode_id"]


def test_a_reset_of_the_same_name_does_not_close_itself(episode: Conversation) -> None:
    _, said = converse(episode.reset({"episode_id": "e1"}), turn(0))

    assert [request.path for request in said] == ["/reset"]


def test_every_request_about_an_episode_names_its_uid() -> None:
    begun = Conversation("http://there")
    opened = {"observation": {"step": 0}, "reward": None, "done": False}
    converse(begun.reset({}), Answer(200, {**opened, "metadata": {"episode_id": "e1", "episode_uid": "u1"}}))

    _, (step,) = converse(begun.step(ACTION, None), turn(1))
    _, (leave,) = converse(begun.leave(), Answer(204, None))

    assert (step.body["episode_id"], step.body["episode_uid"]) == ("e1", "u1")
    assert leave.query == {"episode_uid": "u1"}


def test_attaching_to_the_own_episode_does_not_close_it(episode: Conversation) -> None:
    _, said = converse(episode.attach("e1"), Answer(200, {"step_count": 3, "done": False}))
    _, (step,) = converse(episode.step(ACTION, None), turn(4))

    assert [request.path for request in said] == ["/state"]
    assert step.body["step"] == 4


def test_attaching_to_another_episode_closes_the_own(episode: Conversation) -> None:
    _, said = converse(episode.attach("e2"), Answer(200, {"step_count": 0, "done": False}), Answer(204, None))

    assert [request.path for request in said] == ["/state", "/episodes/e1"]
    assert episode.id == "e2"


def test_client_gives_up_a_silent_server_after_a_few_tries() -> None:
    with pytest.raises(ServerUnreachable, match="No response from http://there: reset by peer"):
        converse(Conversation("http://there").reset({}), *[UNHEARD] * (len(PAUSES_S) + 1))


def test_a_step_without_episode_sends_nothing() -> None:
    with pytest.raises(NoEpisode):
        converse(Conversation("http://there").step(ACTION, None))


def test_an_import_that_got_no_answer_is_not_asked_for_again(episode: Conversation) -> None:
    plan = episode.import_snapshot(b"archive", "mine", pinned=True)

    with pytest.raises(ServerUnreachable):
        converse(plan, UNHEARD)


def test_an_import_carries_the_file_and_needs_no_episode() -> None:
    taken = Answer(201, {"snapshot_id": "snap-7"})

    imported, (request,) = converse(
        Conversation("http://there").import_snapshot(b"archive", None, pinned=False), taken
    )

    assert imported == "snap-7"
    assert (request.file, request.body, request.query) == (b"archive", None, {"pinned": "false"})


def test_a_finished_episode_is_not_closed(episode: Conversation) -> None:
    converse(episode.step(ACTION, None), turn(1, done=True))

    _, said = converse(episode.leave())

    assert said == []


def test_an_announcement_needs_no_episode_and_is_repeated_until_it_is_heard() -> None:
    told = Answer(202, {"known": 1, "queued": 1, "refused": 0})

    counts, said = converse(Conversation("http://there").prefetch(iter((3, 4)), {"chaos": 2}), UNHEARD, told)

    assert counts.queued == 1
    body = {"tools": "scenario", "chaos": 2, "seeds": [3, 4]}
    assert said == [Request("POST", "/prefetch", body)] * 2


@pytest.mark.parametrize("blank", [None, "", float("nan"), np.float32("nan")], ids=repr)
def test_blanks_of_a_table_count_as_absent(blank: object) -> None:
    filled = dict.fromkeys(("tools", "snapshot", "episode_id", "max_steps", "rewards"), blank)

    _, (sent,) = converse(Conversation("http://here").reset({"seed": 7, **filled}), turn(0))

    assert sent.body is not None
    assert [len(sent.body.pop(part)) for part in ("episode_id", "idempotency_key")] == [32, 32]
    assert sent.body == {"replace": True, "seed": 7, "tools": "scenario"}


@pytest.mark.parametrize("name", ["seed", "scenario"])
def test_a_task_is_never_replaced_by_the_default_because_its_number_or_name_went_wrong(name: str) -> None:
    with pytest.raises(InvalidRequest, match=name):
        converse(Conversation("http://here").reset({name: float("nan")}), turn(0))

    _, (sent,) = converse(Conversation("http://here").reset({name: ""}), turn(0))
    assert sent.body is not None
    assert sent.body[name] == ""
