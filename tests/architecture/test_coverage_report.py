"""The report of coverage by package adds up the files that coverage measured."""

from tests.coverage_by_package import measured, table


def file(branches: int, covered: int) -> dict[str, dict[str, int]]:
    counts = {"num_statements": 10, "covered_lines": 9, "num_branches": branches, "covered_branches": covered}
    return {"summary": counts}


def test_files_of_a_package_are_added_up_and_graders_are_a_package_of_their_own() -> None:
    files = {
        "services/datahub/metrics/service.py": file(4, 3),
        "services/datahub/app.py": file(2, 2),
        "companyos/chassis/world/context.py": file(0, 0),
        "companyos/sdk/grading.py": file(6, 6),
        "scenarios/offboarding/grading.py": file(8, 4),
        "scenarios/offboarding/facts.py": file(8, 0),
        "orchestrator/app.py": file(2, 1),
    }

    lines = list(table(measured({"files": files})))

    assert [" ".join(line.split()) for line in lines[1:]] == [
        "companyos/chassis none 9/10 90.0%",
        "graders of scenarios 10/14 71.4% 18/20 90.0%",
        "orchestrator/app 1/2 50.0% 9/10 90.0%",
        "services/datahub 5/6 83.3% 18/20 90.0%",
    ]
