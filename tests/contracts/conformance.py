"""OpenEnv's local checks (RFC 008), the tests that stand for each here, and how they end: `make conformance`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

HERE = "tests/contracts"
CRITERIA = f"{HERE}/test_openenv_criteria.py"
TELEMETRY = f"{HERE}/test_session_telemetry.py"
#: The tests of each check in OpenEnv's severity policy v2, local lane; empty where there is none.
PROGRAMS: dict[str, tuple[str, ...]] = {
    "static.manifest": (f"{CRITERIA}::test_the_manifest_declares_the_rewards_that_are_measured_here",),
    "static.reproducible_build": (),
    "static.image_hygiene": (),
    "static.layout": (),
    "static.sbom": (),
    "static.oci_labels": (),
    "static.resource_declaration": (),
    "static.timeout_ceiling": (),
    "static.dependency_pinning": (),
    "static.task_distribution_pinning": (),
    "runtime.startup": (f"{HERE}/test_openenv_http.py",),
    "runtime.reward_well_formed": (
        f"{CRITERIA}::test_reward_is_within_the_declared_range_and_its_sum_is_the_return",
    ),
    "runtime.rubric_introspectable": (f"{TELEMETRY}::test_before_a_step_nothing_of_the_rubric_is_evaluated",),
    "runtime.observation_schema": (f"{HERE}/test_documented_responses.py",),
    "runtime.state_contract": (
        f"{HERE}/test_openenv_websocket.py::test_a_session_resets_steps_and_tells_its_state",
    ),
    "runtime.trajectory_record": (
        f"{CRITERIA}::test_trajectory_record",
        f"{TELEMETRY}::test_the_record_is_what_was_sent_and_answered",
    ),
    "runtime.reward_attribution": (
        f"{TELEMETRY}::test_each_step_is_attributed_to_the_rubric_with_its_reward",
    ),
    "runtime.tool_declaration_accuracy": (f"{CRITERIA}::test_tool_declaration_accuracy",),
    "runtime.task_declaration_accuracy": (f"{CRITERIA}::test_task_declaration_accuracy",),
    "runtime.seed_control": (
        f"{CRITERIA}::test_seed_control",
        f"{TELEMETRY}::test_a_seed_counts_as_accepted_only_if_the_episode_has_it",
    ),
    "runtime.episode_determinism": (
        f"{CRITERIA}::test_episode_determinism",
        f"{TELEMETRY}::test_a_validated_session_is_equal_in_everything_twice_and_on_another_host",
    ),
    "runtime.network_policy": (),
    "runtime.host_containment": (),
    "runtime.resource_bounds": (f"{CRITERIA}::test_resource_bounds",),
    "runtime.episode_isolation": (f"{CRITERIA}::test_episode_isolation",),
    "runtime.oracle_containment": (f"{HERE}/test_agent_leaks.py",),
    "semantic.oracle_max": (
        f"{CRITERIA}::test_oracle_max",
        f"{CRITERIA}::test_the_declared_oracle_solves_its_task",
        f"{CRITERIA}::test_the_declared_oracle_continues_an_episode",
        f"{CRITERIA}::test_set_state",
    ),
    "semantic.floor_gap": (f"{CRITERIA}::test_floor_gap",),
    "semantic.canary_floor": (f"{CRITERIA}::test_canary_floor",),
    "semantic.no_solution_leakage": (f"{CRITERIA}::test_no_solution_leakage",),
    "semantic.verifier_determinism": (f"{CRITERIA}::test_verifier_determinism",),
    "semantic.verifier_portability": (),
    "semantic.resource_envelope": (),
    "semantic.replayability": (f"{CRITERIA}::test_replayability",),
}


class Outcomes:
    """A plugin of pytest that keeps how each test ended."""

    def __init__(self) -> None:
        self.ended: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of the test's worst phase."""
        if report.when == "call" or report.outcome != "passed":
            self.ended[report.nodeid] = report.outcome

    def of(self, program: str) -> set[str]:
        """Return how the tests of a program ended."""
        return {
            outcome
            for test, outcome in self.ended.items()
            if test == program or test.startswith((f"{program}::", f"{program}["))
        }


def verdict(outcomes: Outcomes, programs: tuple[str, ...]) -> str:
    """Return how a check ended: it passes only if every program of it ran, and passed."""
    if not programs:
        return "no program"
    return "pass" if all(outcomes.of(program) == {"passed"} for program in programs) else "FAIL"


def table(outcomes: Outcomes) -> Iterator[str]:
    """Yield a line for each check."""
    for check, programs in PROGRAMS.items():
        names = ", ".join(program.removeprefix(f"{HERE}/") for program in programs) or "-"
        yield f"{verdict(outcomes, programs):<10}  {check:<34}  {names}"


def main() -> int:
    """Run all programs, print the table, and return 1 if a check failed."""
    outcomes = Outcomes()
    chosen = sorted({program for programs in PROGRAMS.values() for program in programs})
    code = pytest.main(["-q", "-p", "no:cacheprovider", *chosen], plugins=[outcomes])
    print(*table(outcomes), sep="\n")
    return int(code != 0 or "FAIL" in {verdict(outcomes, programs) for programs in PROGRAMS.values()})


if __name__ == "__main__":
    sys.exit(main())
