"""Data sets of recorded runs: whole pairs and families in one split, windows before each call, and a true card."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.evaluation.runs import Run
from companyos.evaluation.runs.export.card import Card
from companyos.evaluation.runs.export.conversations import successes
from companyos.evaluation.runs.export.dataset import examples, is_replaceable, write_dataset
from companyos.evaluation.runs.export.rows import RowsOf, by_call, of_tools, whole
from companyos.evaluation.runs.export.splits import SplitRule
from companyos.evaluation.runs.export.tokens import TokenCounter, estimated_tokens
from companyos.sdk.splits import Split

from .conftest import FINISH, Make, types_in
from .test_trajectory import CALL, TOOL, Agent

OTHER = {"tool_name": "b", "arguments": {"n": 1, "all": [{"a": None}]}}
SHARES = st.fractions(0, Fraction(9, 10), max_denominator=100)
TRAIN = Card("companyos dataset --out set")


def rows(rows_of: RowsOf, *runs: Run) -> list[Any]:
    """Return the rows of all conversations as a reader of the file gets them."""
    return [json.loads(json.dumps(row)) for one in examples(successes(runs), rows_of) for row in one.rows]


def said(messages: list[Any]) -> list[str]:
    """Return what every message of a window tells: its text, or the call that it makes."""
    return [
        one["tool_calls"][0]["function"]["name"] if one["tool_calls"] else one["content"] for one in messages
    ]


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@given(SHARES, st.integers(0, 10**6), st.sampled_from(["one", "two"]))
def test_both_seeds_of_a_pair_are_in_one_split_at_any_share(share: Fraction, pair: int, name: str) -> None:
    rule = SplitRule(share, frozenset({"two"}))

    assert rule.split_of(name, 2 * pair) is rule.split_of(name, 2 * pair + 1)


@given(SHARES, st.integers(1, 300))
def test_validation_has_its_share_of_the_first_pairs_however_many_there_are(
    share: Fraction, pairs: int
) -> None:
    rule = SplitRule(share)

    found = [rule.split_of("one", 2 * pair) for pair in range(pairs)]

    assert found.count(Split.VALIDATION) == int(pairs * share)


def test_a_held_out_family_is_in_the_test_and_nothing_else_is() -> None:
    rule = SplitRule(Fraction(1, 2), frozenset({"two"}))

    found = {name: {rule.split_of(name, seed) for seed in range(8)} for name in ("one", "two")}

    assert found == {"one": {Split.TRAIN, Split.VALIDATION}, "two": {Split.TEST}}
    assert list(rule.splits()) == [Split.TRAIN, Split.VALIDATION, Split.TEST]
    assert list(SplitRule().splits()) == [Split.TRAIN]


def test_a_row_per_call_shows_the_task_the_last_exchanges_and_the_call_alone(make: Make) -> None:
    run = make((0, 0, [CALL, OTHER, CALL, FINISH], True), agent=Agent("You work here."))

    found = rows(by_call(2), run)

    windows = [(said(row["prompt"]), said(row["completion"]), row["call"]) for row in found]
    task, call = ["You work here.", "Task 0."], "ticketdesk_get_ticket"
    assert windows == [
        (task, [call], 1),
        ([*task, call, "Result 1."], ["b"], 2),
        ([*task, call, "Result 1.", "b", "Result 2."], [call], 3),
        ([*task, "b", "Result 2.", call, "Result 3."], ["finish"], 4),
    ]
    assert all(json.loads(row["tools"]) == [TOOL] for row in found)


def test_a_window_of_the_whole_episode_is_the_conversation(make: Make) -> None:
    run = make((0, 0, [CALL, OTHER, "Hm?", FINISH], True))

    (conversation,), calls = rows(whole, run), rows(by_call(99), run)

    assert [*calls[-1]["prompt"], *calls[-1]["completion"]] == conversation["messages"]
    assert len(calls) == 4


def test_rows_of_some_tools_teach_calls_of_these_alone_and_offer_no_others(make: Make) -> None:
    agent = Agent("")
    agent.tools = [TOOL, {**TOOL, "function": {**TOOL["function"], "name": "b"}}]
    run = make(
        (0, 0, [OTHER, FINISH], True), (2, 0, [CALL, FINISH], True), (4, 0, [FINISH], True), agent=agent
    )

    calls, episodes = (rows(of_tools(["finish"], rows_of), run) for rows_of in (by_call(2), whole))

    assert [(row["seed"], row["call"]) for row in calls] == [(0, 2), (2, 2), (4, 1)]
    assert [row["seed"] for row in episodes] == [4]
    assert all(json.loads(row["tools"]) == [TOOL] for row in (*calls, *episodes))


@pytest.mark.parametrize("rows_of", [whole, by_call(1)])
def test_columns_have_one_type_in_the_rows_of_all_splits(make: Make, rows_of: RowsOf) -> None:
    runs = [
        make((seed, 0, [CALL, {"tool_name": "b", "arguments": arguments}, FINISH], True))
        for seed, arguments in enumerate(({"n": 1}, {"n": "1", "all": [{"a": None}]}, {}))
    ]

    found = rows(rows_of, *runs)

    assert len({tuple(row) for row in found}) == 1
    assert {path: kinds for path, kinds in types_in(found).items() if len(kinds) != 1} == {}
    named = ("prompt", "completion") if "prompt" in found[0] else ("messages",)
    fields = {tuple(message) for row in found for name in named for message in row[name]}
    assert fields == {("role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name")}


def test_a_data_set_has_the_same_bytes_in_whatever_order_its_episodes_finished(
    make: Make, tmp_path: Path
) -> None:
    episodes = [(seed, 0, [CALL, OTHER, FINISH], True) for seed in range(12)]
    card = Card("companyos dataset", splits={Split.TRAIN: "some", Split.VALIDATION: "others"})
    rule = SplitRule(Fraction(1, 3))

    for name, order in (("one", episodes), ("two", episodes[::-1])):
        found = examples(successes([make(*order)]), by_call(1), rule.split_of)
        write_dataset(tmp_path / name, found, card, estimated_tokens())

    written = files_in(tmp_path / "one")
    assert set(written) == {"README.md", "data/train.jsonl", "data/validation.jsonl"}
    assert written == files_in(tmp_path / "two")
    seeds = {
        name: {json.loads(line)["seed"] for line in text.splitlines()}
        for name, text in written.items()
        if "data" in name
    }
    assert seeds == {"data/train.jsonl": {0, 1, 2, 3, 6, 7, 8, 9}, "data/validation.jsonl": {4, 5, 10, 11}}


def test_the_card_counts_what_is_in_the_files_and_names_them(make: Make, tmp_path: Path) -> None:
    run = make((0, 0, [CALL, OTHER, FINISH], True), (1, 0, [FINISH], True), (2, 0, [FINISH], False))
    parts: list[Any] = []
    tokens = TokenCounter(lambda part: parts.append(part) or 10, "Ten for each part.")

    counts = write_dataset(tmp_path, examples(successes([run]), by_call(1)), TRAIN, tokens)

    lines = (tmp_path / "data" / "train.jsonl").read_text().splitlines()
    # Four rows of the tools and a window, and each part is counted once.
    rows_of_parts = [2 + 1, 4 + 1, 4 + 1, 2 + 1]
    assert counts[Split.TRAIN].document() == {
        "rows": len(lines),
        "episodes": 2,
        "calls": 4,
        "tokens": 10 * sum(rows_of_parts),
        "longest": 50,
    }
    assert len(parts) == 1 + 6 + 2
    card = (tmp_path / "README.md").read_text()
    assert "| train | 4 | 2 | 4 | 160 | 50 |" in card
    assert "Ten for each part." in card
    assert "      - split: train\n        path: data/train.jsonl\n---" in card
    assert "    companyos dataset --out set\n" in card


def test_a_data_set_is_replaced_with_the_splits_that_it_no_longer_has(make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    tested = Card("companyos dataset", splits={Split.TRAIN: "some", Split.TEST: "others"})
    found = list(examples(successes([make((0, 0, [FINISH], True))]), whole))
    write_dataset(folder, found, tested, estimated_tokens())
    had = sorted(path.name for path in (folder / "data").iterdir())

    assert is_replaceable(folder)
    write_dataset(folder, found, TRAIN, estimated_tokens())

    assert had == ["test.jsonl", "train.jsonl"]
    assert [path.name for path in (folder / "data").iterdir()] == ["train.jsonl"]


def test_a_folder_with_something_else_is_not_taken_for_a_data_set(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    (tmp_path / "empty").mkdir()

    assert not is_replaceable(tmp_path)
    assert not is_replaceable(tmp_path / "thesis.tex")
    assert is_replaceable(tmp_path / "empty")
    assert is_replaceable(tmp_path / "new")
