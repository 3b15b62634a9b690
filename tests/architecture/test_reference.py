"""The reference is what the code says: each page equals what the generator writes today."""

import re
from pathlib import Path
from typing import Any

import pytest

from companyos.sdk.scenario import Harm
from docs.generate import blocks, pages, with_block
from docs.generate.bounds import bounds
from docs.generate.rewards import CALLS, ENDINGS, HARMS
from docs.site import pages as site_pages
from orchestrator.grading.rewards import Ending
from orchestrator.protocol.trace_records import CallOutcome

DOCS = Path(__file__).parents[2] / "docs"
RENEW = "run `python -m docs.generate`"


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    """The reference pages as the generator writes them, which takes seconds."""
    return pages()


def test_the_reference_says_what_the_code_does(reference: dict[str, str]) -> None:
    folder = DOCS / "reference"
    stale = [name for name, text in reference.items() if (folder / name).read_text(encoding="utf-8") != text]

    assert stale == [], RENEW


def test_generated_blocks_of_pages_are_current() -> None:
    for (page, name), block in blocks().items():
        text = (DOCS.parent / page).read_text(encoding="utf-8")

        assert with_block(text, name, block) == text, RENEW


def test_every_service_tool_setting_and_scenario_has_its_place_in_the_reference(
    reference: dict[str, str],
) -> None:
    everything = "\n".join(reference.values())

    for word in (
        "ticketdesk_verify_ticket",
        "wait",
        "COMPANYOS_TRAINER_TOKEN",
        "vendor_onboarding",
        "approval.decided",
    ):
        assert f"`{word}`" in everything


def test_every_way_a_step_can_earn_is_in_the_page_of_rewards() -> None:
    assert CALLS.keys() == set(CallOutcome)
    assert ENDINGS.keys() == set(Ending)
    assert HARMS.keys() == set(Harm)


def test_sparse_rewards_charge_for_nothing(reference: dict[str, str]) -> None:
    cases, _, _ = reference["rewards.md"].partition("## Giving up")
    lines = [line.split(" | ") for line in cases.splitlines() if line.startswith("| ")]
    sparse = {cells[0].strip("| "): cells[2] for cells in lines if cells[2] != "`sparse`"}

    assert {amount for case, amount in sparse.items() if amount != "0.00"} == {"1.00"}
    assert (
        sparse["output that is not a call (`invalid`)"] == sparse["`finish` with the task not done"] == "0.00"
    )


@pytest.mark.parametrize("page", sorted([*DOCS.rglob("*.md"), DOCS.parent / "README.md"]), ids=str)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def anchors_of(page: Path) -> set[str]:
    """Return what a link to a part of a page can name: its headings, as GitHub and the site write them, and its ids."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = [
        re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title) for title in re.findall(r"^#+ (.*)", text, re.MULTILINE)
    ]
    headings = {re.sub(r"[^\w -]", "", title.strip().lower()).replace(" ", "-") for title in titles}
    return headings | set(re.findall(r'id="([^"]+)"', text))


@pytest.mark.parametrize("page", sorted(site_pages()), ids=str)
def test_links_to_parts_of_pages_name_a_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    missing = [
        (target, anchor)
        for target, anchor in links
        if (found := page.parent / target if target else page).suffix == ".md"
        and anchor not in anchors_of(found)
    ]

    assert missing == []


def test_the_page_of_tools_gives_the_bounds_and_defaults_of_arguments(reference: dict[str, str]) -> None:
    assert "| `references` | array of string (1 to 20 items) | yes |" in reference["tools.md"]
    assert "| `limit` | integer (1 to 200, default 50) |" in reference["tools.md"]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 100}, ""),
        ({"type": "string", "minLength": 3, "maxLength": 20}, " (3 to 20 characters)"),
        ({"type": "integer", "minimum": 1.0, "maximum": 2147483648.0, "default": None}, ""),
        ({"type": "number", "exclusiveMinimum": 0.0, "maximum": 0.5}, " (more than 0, at most 0.5)"),
        ({"type": "number", "minimum": 0.0}, " (at least 0)"),
        ({"type": "object", "maxProperties": 50}, " (at most 50 entries)"),
        ({"type": "array", "minItems": 2, "default": []}, " (at least 2 items)"),
        ({"type": "string", "default": "eq"}, " (default eq)"),
        ({"type": "boolean", "default": False}, " (default False)"),
    ],
)
def test_only_bounds_that_an_agent_may_run_into_are_told(schema: dict[str, Any], told: str) -> None:
    assert bounds(schema) == told
