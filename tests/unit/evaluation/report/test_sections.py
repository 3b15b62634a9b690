"""The sections of a report: the sentence that answers, the chart that shows it, the numbers beside."""

from collections.abc import Callable
from pathlib import Path

import pytest

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.report import conduct, outcomes
from companyos.evaluation.report.comparison import Comparison
from companyos.evaluation.report.doors import by_door
from companyos.evaluation.report.tables import Cell, Section, TableRow
from companyos.evaluation.runs import AgentSpec, EpisodeEnding, EpisodeRecord
from companyos.evaluation.runs.request import Door
from tests.unit.evaluation.runs.samples import record

from .samples import mixed, written


@pytest.fixture
def one(tmp_path: Path) -> Comparison:
    return Comparison([written(tmp_path / "one", mixed())])


@pytest.fixture
def two(tmp_path: Path) -> Comparison:
    best = [record(each.seed, chaos=each.chaos, scenario=each.scenario, success=True) for each in mixed()]  # type: ignore[arg-type]
    return Comparison(
        [written(tmp_path / "model", mixed()), written(tmp_path / "oracle", best, name="oracle")]
    )


def texts(row: TableRow) -> list[str]:
    return [cell if isinstance(cell, str) else cell.text for cell in row]


def notes(row: TableRow) -> list[str]:
    return [cell.note for cell in row if isinstance(cell, Cell)]


def test_the_summary_says_how_often_each_run_succeeded(two: Comparison) -> None:
    section = outcomes.summary(two)

    assert section.lead == "a-model solved 6 of 8 episodes (75%) and oracle solved 8 of 8 episodes (100%)."
    assert section.table.columns[:3] == ["run", "episodes", "success"]
    assert [texts(row)[:5] for row in section.table.rows] == [
        ["a-model", "8", "75%", "50%", "25 pts"],
        ["oracle", "8", "100%", "100%", "0 pts"],
    ]


def test_pass_hat_k_is_told_where_instances_were_repeated(tmp_path: Path) -> None:
    repeated = [record(0, repeat=repeat, success=repeat > 0) for repeat in range(4)]
    section = outcomes.summary(Comparison([written(tmp_path / "run", repeated)]))

    assert section.table.columns[3:5] == ["pass^2", "pass^4"]
    assert texts(section.table.rows[0])[3:5] == ["50%", "0%"]


def test_endings_name_the_reasons_for_agent_errors(tmp_path: Path) -> None:
    told = ("refused (req_1a2b3c4d)", "refused (req_5e6f7a8b)", "said nothing")
    records = [
        record(seed, ended=EpisodeEnding.AGENT_ERROR, agent_error=error) for seed, error in enumerate(told)
    ]
    section = outcomes.endings(Comparison([written(tmp_path / "run", records)]))

    ((ended, count),) = section.table.rows
    assert isinstance(ended, Cell)
    assert (ended.text, ended.note, count) == (
        "agent error",
        "2 × refused (req_1a2b3c4d); 1 × said nothing",
        "3",
    )


def test_a_run_of_agent_errors_alone_has_no_score_beside_one_that_has(tmp_path: Path) -> None:
    failed = [record(seed, ended=EpisodeEnding.AGENT_ERROR, agent_error="gone") for seed in (0, 1)]
    comparison = Comparison(
        [
            written(tmp_path / "failed", failed, name="failed"),
            written(tmp_path / "played", [record(0, success=True), record(1)], name="played"),
        ]
    )

    summary, scenarios = outcomes.summary(comparison), outcomes.by_scenario(comparison)

    assert summary.lead == (
        "failed has no score (2 episodes, all agent errors) and played solved 1 of 2 episodes (50%)."
    )
    assert texts(summary.table.rows[0])[:6] == ["failed", "2", "–", "–", "–", "–"]
    assert texts(scenarios.table.rows[0]) == ["one", "–", "50%"]


def test_endings_name_failures_of_the_environment(tmp_path: Path) -> None:
    records = [
        record(0, success=True),
        record(1),
        record(2, ended=EpisodeEnding.TIMEOUT),
        record(3, ended=EpisodeEnding.ENVIRONMENT_FAILURE),
    ]
    section = outcomes.endings(Comparison([written(tmp_path / "run", records)]))

    assert section.lead.startswith("In 1 episode the environment failed")
    assert [texts(row) for row in section.table.rows] == [
        ["solved", "1"],
        ["finished, not solved", "1"],
        ["out of steps", "1"],
        ["environment failure", "1"],
    ]
    assert section.key is not None
    assert [mark.label for mark in section.key] == [texts(row)[0] for row in section.table.rows]


def test_success_by_scenario_has_an_interval_for_each_and_for_all(two: Comparison) -> None:
    section = outcomes.by_scenario(two)

    assert [texts(row) for row in section.table.rows] == [
        ["one", "75%", "100%"],
        ["two", "75%", "100%"],
        ["all scenarios", "75%", "100%"],
    ]
    assert isinstance(section.table.rows[0][1], Cell)
    assert section.table.rows[0][1].detail == "30–95%"
    assert section.lead == "No run did better in one scenario than in another."


def test_spl_stands_with_success_by_scenario_and_by_level(one: Comparison) -> None:
    by_scenario, by_chaos = outcomes.by_scenario(one).table.rows, outcomes.by_chaos(one).table.rows

    assert [notes(row) for row in by_scenario] == [["SPL 62%"]] * 3
    assert notes(by_chaos[0]) == ["SPL 83%", "SPL 42%"]


def test_robustness_draws_a_curve_for_each_scenario(two: Comparison) -> None:
    section = outcomes.by_chaos(two)

    assert section.lead == "From chaos 0 to 3, a-model keeps 50% of its success and oracle 100%."
    assert [chart.title for chart in section.charts] == ["all scenarios", "one", "two"]
    assert texts(section.table.rows[0]) == ["all scenarios", "a-model", "100%", "50%"]


def test_the_pattern_gap_is_success_minus_pair_accuracy(one: Comparison) -> None:
    section = outcomes.by_pair(one)

    assert section.lead.endswith("is 25 pts for a-model.")
    assert [(cell.text, cell.detail) for _, cell in section.table.rows if isinstance(cell, Cell)] == [
        ("25", "75 → 50%")
    ] * 3


def test_without_a_whole_pair_there_is_no_gap(tmp_path: Path) -> None:
    section = outcomes.by_pair(Comparison([written(tmp_path / "run", [record(0), record(2)])]))

    assert "No whole pair was played" in section.lead
    assert section.charts == []


def test_failures_are_counted_by_what_decided_them(two: Comparison) -> None:
    section = conduct.failures(two)

    assert (
        section.lead
        == "2 scored episodes failed. What decided most of them is `approved`: not achieved in 2."
    )
    assert [texts(row) for row in section.table.rows] == [["approved", "not achieved", "2", "–"]]


def test_faults_are_listed_with_those_least_overcome_first(one: Comparison) -> None:
    section = conduct.faults(one)

    assert section.lead == "a-model overcame 6 of 14 (43%)."
    assert [texts(row) for row in section.table.rows] == [["biz.stale_metric", "0%"], ["svc.latency", "75%"]]


def test_conduct_counts_violations_by_kind(tmp_path: Path) -> None:
    records = [record(0, violations={"self_approval": 2}, steps=10), record(1, collateral_rows=3, steps=10)]
    section = conduct.violations(Comparison([written(tmp_path / "run", records)]))

    assert section.lead == "0 episodes failed for a rule of the task; 2 calls refused as against policy."
    assert ["self_approval per 100 episodes", "100.0"] in [texts(row) for row in section.table.rows]
    assert ["episodes that changed something else", "50%"] in [texts(row) for row in section.table.rows]


def test_effort_tells_steps_tokens_and_money(tmp_path: Path) -> None:
    records = [
        record(0, success=True, steps=12, oracle_steps=10, usage=Usage(9_000, 1_000, 0, 0.5)),
        record(1, steps=20, usage=Usage(9_000, 1_000, 0, 0.5)),
    ]
    section = conduct.effort(Comparison([written(tmp_path / "run", records)]))

    assert section.lead == "Steps of solved episodes over the oracle's, on average: 1.20× for a-model."
    assert dict(map(texts, section.table.rows)) == {
        "steps, mean": "16.0",
        "steps over oracle, mean": "1.20×",
        "simulated time, median": "0 s",
        "tokens, mean": "10k",
        "cost, mean": "$0.50",
        "cost per solved episode": "$1.00",
    }


@pytest.mark.parametrize(
    ("section", "records", "lead"),
    [
        (conduct.failures, [record(0, success=True)], "No scored episode failed."),
        (conduct.failed_episodes, [record(0, success=True)], "No scored episode failed."),
        (conduct.faults, [record(0)], "Nothing went wrong in these episodes: no fault landed."),
        (conduct.effort, [record(0, success=True)], "The oracle did not play these instances."),
        (outcomes.by_scenario, [record(0), record(1)], "One scenario was played: one."),
        (outcomes.by_chaos, [record(0), record(0, chaos=3)], "No run solved anything at chaos 0."),
    ],
)
def test_a_section_with_nothing_to_tell_says_so(
    tmp_path: Path, section: Callable[[Comparison], Section], records: list[EpisodeRecord], lead: str
) -> None:
    assert section(Comparison([written(tmp_path / "run", records)])).lead == lead


def test_a_run_that_skipped_a_scenario_has_a_dash_there(tmp_path: Path) -> None:
    runs = [
        written(tmp_path / "a", [record(0, scenario="one")], name="a"),
        written(tmp_path / "b", [record(0, scenario="two", success=True)], name="b"),
    ]
    comparison = Comparison(runs)

    assert [texts(row) for row in outcomes.by_scenario(comparison).table.rows] == [
        ["one", "0%", "–"],
        ["two", "–", "100%"],
        ["all scenarios", "0%", "100%"],
    ]
    assert texts(outcomes.by_chaos(comparison).table.rows[-2]) == ["two", "a", "–"]
    for section in (outcomes.by_pair, conduct.failures, conduct.faults, conduct.violations, conduct.effort):
        assert section(comparison).title


@pytest.mark.parametrize("chaos", ["bad-day", "custom-1a2b3c4d"])
def test_chaos_that_is_no_level_has_a_column_of_its_own(chaos: str, tmp_path: Path) -> None:
    records = [record(0, success=True), record(0, chaos=chaos)]  # type: ignore[arg-type]
    section = outcomes.by_chaos(Comparison([written(tmp_path / "run", records)]))

    assert section.table.columns == ["scenario", "run", "0", chaos]
    assert section.lead == f"From chaos 0 to {chaos}, a-model keeps 0% of its success."


def test_the_door_gap_compares_one_agent_on_the_instances_of_both_doors(tmp_path: Path) -> None:
    tools = written(tmp_path / "tools", [record(seed, success=seed < 3) for seed in range(4)])
    text = written(
        tmp_path / "text", [record(seed, success=seed == 0) for seed in range(1, 5)], door=Door.TEXT
    )
    other = written(
        tmp_path / "other", [record(1)], door=Door.TEXT, agent=AgentSpec("openai", "another-model")
    )
    pictures = written(tmp_path / "pictures", [record(0, success=True)], door=Door.SCREENSHOT)
    section = by_door(Comparison([tools, text, other, pictures]))

    assert section is not None
    assert [texts(row) for row in section.table.rows] == [
        ["a-model", "text", "3", "67%", "0%", "67"],
        ["a-model", "screenshot", "1", "100%", "100%", "0"],
    ]
    assert by_door(Comparison([tools, other])) is None
