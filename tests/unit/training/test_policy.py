"""The policy learns toy choices, and what it scores is what it plays."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`", exc_type=ImportError)

from companyos.training.config import CloningConfig  # noqa: E402
from companyos.training.measures import imitation  # noqa: E402
from companyos.training.objective import Anchor, credit_objective, gain  # noqa: E402
from companyos.training.optimization import ascend  # noqa: E402
from companyos.training.pointer.calls import choices_of  # noqa: E402
from companyos.training.pointer.features import Featurizer, State  # noqa: E402
from companyos.training.pointer.network import PointerNetwork  # noqa: E402
from companyos.training.pointer.player import PointerDecision  # noqa: E402
from companyos.training.pointer.policy import PointerPolicy  # noqa: E402
from companyos.training.policies import new_policy  # noqa: E402

from .conversations import call, conversation, episode  # noqa: E402


def toy_policy() -> PointerPolicy:
    """A small policy, the same each time."""
    torch.manual_seed(0)
    return PointerPolicy(PointerNetwork(width=16, rounds=1), {})


def example(part: str) -> PointerDecision:
    """The call that files a case with one of its parts."""
    history = conversation()
    slots, _ = choices_of(history, {}, call("desk_file", case_id="C-7", references=[part]))
    chosen = [slot.target for slot in slots if slot.target is not None]
    return PointerDecision(Featurizer(history).state(), slots, chosen, tuple(history.tools))


def test_a_score_does_not_depend_on_the_states_beside_it() -> None:
    policy, one = toy_policy(), example("P-1")
    longer = Featurizer(conversation("Another case, C-9, is of Red Hill Foods. It is not yours.")).state()

    _, alone, _ = policy.network.log_probabilities([one.state], [one.slots], [one.chosen])
    slots, chosen = [one.slots[:1], one.slots], [one.chosen[:1], one.chosen]
    _, beside, _ = policy.network.log_probabilities([longer, one.state], slots, chosen)

    assert torch.allclose(alone[0], beside[1, : alone.shape[1]], atol=1e-5)


def test_a_played_call_has_the_probability_that_is_scored() -> None:
    policy, start = toy_policy(), episode(0)
    player = policy.player(torch.Generator().manual_seed(3))

    player([start])
    (decision,) = player.decisions[id(start)]
    table, likelihood, batch = policy.network.log_probabilities(
        [decision.state], [decision.slots], [decision.chosen]
    )

    assert torch.isfinite(likelihood).all()
    assert torch.allclose(table.exp().sum(2)[batch.is_slot], torch.ones(len(decision.slots)), atol=1e-5)


def test_a_policy_learns_to_point_at_the_part_that_a_call_needs() -> None:
    policy, shown = toy_policy(), [example("P-2")]
    optimizer = torch.optim.Adam(policy.parameters(), 1e-2)
    before = imitation(policy, shown)["right_call"]

    for _ in range(30):
        ascend(policy, optimizer, shown, [0], lambda likelihood, numbers: likelihood)

    assert before == 0
    assert imitation(policy, shown) == {"right_service": 1, "right_tool": 1, "right_call": 1}


def test_a_policy_learns_to_tell_whether_a_value_was_seen_before() -> None:
    policy = toy_policy()
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    known = [reading(name, name) for name in ("Ana Lopez", "Ben Ortiz", "Cleo Marsh")]
    unknown = [reading("Ana Lopez", "Dora Quist"), reading("Ben Ortiz", "Emil Roth")]
    some = [*known, *unknown]

    for _ in range(60):
        ascend(policy, optimizer, some, range(len(some)), lambda likelihood, numbers: likelihood)

    others = [reading("Fay Young", "Fay Young"), reading("Fay Young", "Gus Hale")]
    assert imitation(policy, others)["right_tool"] == 1


def reading(recorded: str, written: str) -> PointerDecision:
    """After a record and a form: the case is read again if they agree, and filed if they do not."""
    history = conversation("Compare them.")
    for path, name in (("record", recorded), ("form", written)):
        history.add(
            call("desk_get", case_id=path), {**RESULT_OF_PART, "result": {"kind": path, "owner": name}}
        )
    action = call("desk_get", case_id="C-7") if recorded == written else call("desk_file", case_id="C-7")
    slots, _ = choices_of(history, {}, action)
    chosen = [slot.target for slot in slots if slot.target is not None]
    return PointerDecision(Featurizer(history).state(), slots, chosen, tuple(history.tools))


def test_decisions_have_the_conversation_before_their_call_and_leave_out_what_cannot_be_chosen() -> None:
    policy = toy_policy()
    shown = episode(0, (call("desk_get", case_id="C-7"), 0.0), (call("desk_file", case_id="C-7"), 1.0))
    actions = {0: call("desk_get", case_id="C-8"), 1: shown.turns[1].action}

    decisions = policy.decisions(shown, actions)

    assert {number: decision.state.turns for number, decision in decisions.items()} == {1: 1}


def test_a_policy_learns_to_go_through_a_list_in_its_order() -> None:
    policy = toy_policy()
    optimizer = torch.optim.Adam(policy.parameters(), 3e-3)
    shown = [
        filing(parts, done) for parts in ("P-4 P-1 P-3", "P-7 P-9 P-8", "P-5 P-6 P-2") for done in range(3)
    ]

    for _ in range(80):
        ascend(policy, optimizer, shown, range(len(shown)), lambda likelihood, numbers: likelihood)

    others = [filing(parts, done) for parts in ("P-13 P-11 P-12", "P-21 P-23 P-22") for done in range(3)]
    assert imitation(policy, others)["right_call"] == 1


def filing(parts: str, done: int) -> PointerDecision:
    """After a list of parts, of which the first so many have been filed: the next one is filed."""
    history = conversation("File all parts.")
    names = parts.split()
    listed = [{"id": name} for name in names]
    history.add(call("desk_get", case_id="C-7"), {**RESULT_OF_PART, "result": listed})
    for name in names[:done]:
        history.add(call("desk_file", case_id=name), {**RESULT_OF_PART, "result": {"filed": True}})
    slots, _ = choices_of(history, {}, call("desk_file", case_id=names[done]))
    chosen = [slot.target for slot in slots if slot.target is not None]
    return PointerDecision(Featurizer(history).state(), slots, chosen, tuple(history.tools))


def test_a_call_known_to_be_worse_is_made_less_likely_until_it_is_unlikely() -> None:
    certain, likely, unlikely = gradient([1.0, 0.5, 0.001], [-1.0, -1.0, -1.0], sure=0.95)

    assert certain < likely < -0.5
    assert -0.01 < unlikely < 0


def test_a_better_call_is_made_likelier_in_proportion_to_its_advantage() -> None:
    assert gradient([0.5, 0.001], [0.25, 0.75], sure=0.95) == [0.25, 0.75]


def test_blame_by_chance_cancels_the_praise_of_a_call_that_all_episodes_have_in_common() -> None:
    praise, *blame = gradient([0.999] * 4, [0.75, -0.25, -0.25, -0.25], sure=0.01)

    assert praise == pytest.approx(-sum(blame), rel=0.02)


def test_a_choice_of_a_policy_that_is_held_moves_as_far_as_its_advantage_is_worth() -> None:
    refused, solved, keep, choices = 0.02, 1.0, 0.1, len(example("P-1"))

    assert movement(refused, keep) < choices * refused / keep < movement(refused, 0) / 4
    assert movement(solved, keep) > 5


def movement(advantage: float, keep: float) -> float:
    """By how much the logarithm of a call's probability grows in an update of many steps, beside a worse call."""
    policy, calls = toy_policy(), [example("P-1"), example("P-2")]
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    objective = credit_objective(
        calls, [advantage, -advantage], 0.01, Anchor(toy_policy(), keep) if keep else None
    )
    before = policy.likelihood(calls).sum(1)[0]
    for _ in range(200):
        ascend(policy, optimizer, calls, [0, 1], objective)
    moved: float = (policy.likelihood(calls).sum(1)[0] - before).item()
    return moved


def gradient(likelihood: list[float], weights: list[float], sure: float) -> list[float]:
    """By how much an update raises the log-probability of each call."""
    logarithm = torch.tensor(likelihood).log().requires_grad_()
    gain(logarithm, torch.tensor(weights), sure).sum().backward()
    found: list[float] = logarithm.grad.tolist()
    return found


def test_states_of_an_earlier_turn_do_not_change_when_the_conversation_goes_on() -> None:
    history = conversation()
    featurizer = Featurizer(history)
    earlier: State = featurizer.state()
    size = len(earlier.places)

    history.add(call("desk_get", case_id="P-1"), {**RESULT_OF_PART})
    later = featurizer.state()

    assert len(earlier.places) == size < len(later.places)
    assert torch.equal(earlier.places, later.places[:size])


RESULT_OF_PART = {"result": {"id": "P-1"}, "error": None, "sim_now": "2030-03-04T09:01:00Z"}


def test_a_small_policy_keeps_to_one_core() -> None:
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        new_policy(CloningConfig(out=Path("unused")))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(threads)
