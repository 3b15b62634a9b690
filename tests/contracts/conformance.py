"""OpenEnv's local checks (RFC 008), the tests that stand for each here, and how they end: `make conformance`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

HERE = "tests/contracts"
CRITERIA = f"{HERE}/test_openenv_criteria.py"
STATIC = f"{HERE}/test_openenv_static.py"
TELEMETRY = f"{HERE}/test_session_telemetry.py"
DEPLOY = "tests/architecture/test_deploy.py"
SPACE = "tests/unit/deploy/test_make_space.py"
IMAGE = "tests/e2e/one_image"
CONTENT = f"{IMAGE}/test_content.py"
CONFINED = f"{IMAGE}/test_openenv.py::test_the_validator_plays_in_an_image_that_it_builds_and_confines"
#: The tests of each check in OpenEnv's severity policy v2, local lane. Those of the image need a Docker engine.
PROGRAMS: dict[str, tuple[str, ...]] = {
    "static.manifest": (f"{CRITERIA}::test_the_manifest_declares_the_rewards_that_are_measured_here",),
    "static.reproducible_build": (
        f"{IMAGE}/test_rebuild.py::test_two_builds_of_one_tree_are_one_image",
        f"{CONTENT}::test_it_does_not_tell_when_or_where_it_was_built",
    ),
    "static.image_hygiene": (
        f"{CONTENT}::test_its_user_is_a_number_and_not_root",
        f"{CONTENT}::test_its_environment_holds_no_secret_and_leaves_access_closed",
        f"{CONTENT}::test_its_history_names_no_package_mirror",
        f"{CONTENT}::test_image_contains_no_secret_file",
        f"{DEPLOY}::test_the_image_is_given_the_product_and_nothing_else_of_the_tree",
    ),
    "static.layout": (
        f"{SPACE}::test_everything_that_the_image_is_built_from_is_there",
        f"{SPACE}::test_the_manifest_names_files_that_are_there",
        f"{HERE}/test_openenv_clients.py::test_openenv_push_takes_the_folder_of_our_space_as_it_is",
    ),
    "static.sbom": (
        "tests/unit/deploy/test_make_sbom.py",
        f"{CONTENT}::test_its_bill_of_materials_names_everything_that_is_installed_and_no_other_version",
    ),
    "static.oci_labels": (
        f"{DEPLOY}::test_an_image_is_dated_by_its_commit_or_as_told_and_never_by_the_clock",
        f"{CONTENT}::test_its_labels_say_what_it_is_and_a_build_that_was_told_nothing_makes_nothing_up",
    ),
    "static.resource_declaration": (
        f"{STATIC}::test_the_declared_resources_are_the_limits_that_the_image_is_tested_within",
    ),
    "static.timeout_ceiling": (f"{STATIC}::test_the_declared_timeout_is_within_the_policy",),
    "static.dependency_pinning": (
        f"{DEPLOY}::test_every_locked_requirement_is_pinned_and_hashed",
        f"{STATIC}::test_the_image_installs_locked_packages_only",
    ),
    "static.task_distribution_pinning": (f"{STATIC}::test_the_declared_seed_is_that_of_the_first_task",),
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
    "runtime.network_policy": (
        CONFINED,
        f"{IMAGE}/test_container.py::test_without_a_network_it_is_healthy",
    ),
    "runtime.host_containment": (
        CONFINED,
        f"{CONTENT}::test_its_user_can_change_nothing_of_ours",
    ),
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
    "semantic.no_solution_leakage": (f"{CRITERIA}::test_observations_do_not_leak_the_solution",),
    "semantic.verifier_determinism": (f"{CRITERIA}::test_verifier_determinism",),
    "semantic.verifier_portability": (
        f"{TELEMETRY}::test_a_validated_session_is_equal_in_everything_twice_and_on_another_host",
        "tests/e2e/test_episodes.py::test_containers_and_the_stack_without_docker_give_the_same_trace",
    ),
    "semantic.resource_envelope": (
        f"{IMAGE}/test_container.py::test_sixty_four_episodes_at_once_fit_its_limits",
    ),
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
    """Return how a check ended: it passes only if every program of it ran, and passed.

    A program that could not run here, without a Docker engine for instance, leaves its check "not run".
    """
    ended = [outcomes.of(program) for program in programs]
    if all(each == {"passed"} for each in ended):
        return "pass"
    return "not run" if all(each and each <= {"passed", "skipped"} for each in ended) else "FAIL"


def table(outcomes: Outcomes) -> Iterator[str]:
    """Yield a line for each check."""
    for check, programs in PROGRAMS.items():
        names = ", ".join(program.removeprefix(f"{HERE}/") for program in programs) or "-"
        yield f"{verdict(outcomes, programs):<10}  {check:<34}  {names}"


def main() -> int:
    """Run all programs, print the table, and return 1 if a check failed."""
    outcomes = Outcomes()
    chosen = sorted({program for programs in PROGRAMS.values() for program in programs})
    # Programs that play thousands of steps share the machine with whatever else runs on it.
    options = ["-q", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=1800"]
    code = pytest.main([*options, *chosen], plugins=[outcomes])
    print(*table(outcomes), sep="\n")
    return int(code != 0 or "FAIL" in {verdict(outcomes, programs) for programs in PROGRAMS.values()})


if __name__ == "__main__":
    sys.exit(main())
