"""A language model writes calls, and what it writes is what it scores."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`", exc_type=ImportError)
transformers = pytest.importorskip("transformers", reason="so does this library")

from companyos.training.config import LanguageSettings  # noqa: E402
from companyos.training.interface import Repeated  # noqa: E402
from companyos.training.language.conversation import messages_before  # noqa: E402
from companyos.training.language.policy import LanguagePolicy  # noqa: E402
from companyos.training.optimization import ascend  # noqa: E402

from .conversations import call, episode  # noqa: E402
from .tiny_model import write_tiny_model  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("model")
    write_tiny_model(made)
    return made


def policy_of(folder: Path, **settings: int) -> LanguagePolicy:
    return LanguagePolicy(LanguageSettings(model=str(folder), call_tokens=20, **settings))


def test_a_prompt_has_the_latest_exchanges_and_no_keys() -> None:
    played = [call("desk_get", case_id=f"C-{number}", idempotency_key="k") for number in range(3)]
    messages = messages_before(episode(0, *((each, 0.0) for each in played)), 2, exchanges=1)

    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert "desk_get(case_id, limit?)" in messages[0]["content"]
    assert messages[2]["content"] == '{"tool_name": "desk_get", "arguments": {"case_id": "C-1"}}'


def test_written_tokens_are_the_best_and_do_not_depend_on_the_prompts_beside_them(folder: Path) -> None:
    policy = policy_of(folder)
    episodes = [episode(0), episode(1, brief="A far longer brief than that of the other case, C-9.")]
    player = policy.player()

    player(episodes)
    decisions = [decision for each in episodes for decision in player.decisions[id(each)]]
    beside = policy.likelihood(decisions)

    assert all(each.right_call for each in policy.repeated(decisions))
    for row, decision in zip(beside, decisions, strict=True):
        alone = policy.likelihood([decision])[0]
        assert torch.allclose(alone, row[: len(decision)], atol=1e-4)


def test_the_same_generator_writes_the_same(folder: Path) -> None:
    policy = policy_of(folder)

    first, second = (policy.player(torch.Generator().manual_seed(3))([episode(0)]) for _ in range(2))

    assert first == second
    assert first[0]["type"] == "invalid"  # nobody taught it to write calls


def test_a_policy_learns_to_write_a_call_and_is_restored_with_it(folder: Path) -> None:
    policy, start = policy_of(folder, train_layers=1), episode(0, (call("a", b="c"), 0.0))
    wanted = policy.decisions(start, {0: start.turns[0].action})[0]
    optimizer = torch.optim.Adam(policy.parameters(), 1e-2)

    for _ in range(60):
        ascend(policy, optimizer, [wanted], [0], lambda likelihood, numbers: likelihood)
    restored = LanguagePolicy.restored(policy.parts())

    assert restored.repeated([wanted]) == [Repeated(True, True, True)]
    assert all(".1." in name for name in policy.parts()["policy"])
