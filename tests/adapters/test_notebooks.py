"""The notebooks run from the first cell to the last, a training a shorter time, and show what they promise."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.adapters.conftest import Play
from tests.adapters.notebooks import NOTEBOOKS

#: What makes an evaluation and a training a fifth as long.
FEWER: Final = {r"\"--seeds\", \"10\"": r"\"--seeds\", \"2\""}
SHORTER: Final = {
    "demonstrations = 60": "demonstrations = 10",
    "updates = 400": "updates = 60",
    "evaluate_every = 50": "evaluate_every = 30",
    "play_every = 100": "play_every = 60",
}


def printed(notebook: dict[str, Any]) -> str:
    """Return what the cells of a notebook printed."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")


def pictures(notebook: dict[str, Any]) -> int:
    """Return how many pictures the cells of a notebook drew."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.fixture
def ran(play: Play, tmp_path: Path) -> Any:
    """Runs a notebook, with some of its text replaced, on the stack of these tests, and returns it with its outputs."""

    def run(name: str, changed: Mapping[str, str] = {}) -> dict[str, Any]:
        text = (NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8")
        assert [one for one in changed if one not in text] == []
        for before, after in changed.items():
            text = text.replace(before, after)
        source, played = tmp_path / f"{name}.ipynb", tmp_path / "played.ipynb"
        source.write_text(text, encoding="utf-8")
        play("trl-pinned", "notebook.py", source, played)
        notebook: dict[str, Any] = json.loads(played.read_text(encoding="utf-8"))
        return notebook

    return run


def test_a_first_evaluation_tells_an_agent_that_checks_from_one_that_believes(ran: Any) -> None:
    text = printed(ran("first_evaluation", FEWER))

    rows = {
        line.split()[0]: line.split()[1:] for line in text.splitlines() if line.split()[1:2] and "%" in line
    }
    assert rows["oracle"] == ["100%", "100%", "1.00"]
    assert int(rows["believes_claims"][0].rstrip("%")) < 100


def test_a_first_training_shows_a_curve_that_rises(ran: Any) -> None:
    notebook = ran("first_training_curve", SHORTER)

    rows = [line.split() for line in printed(notebook).splitlines() if line.strip()[:1].isdigit()]
    shares = [int(row[1].rstrip("%")) for row in rows]
    assert shares[-1] > shares[0]
    assert pictures(notebook) == 1


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_cell_of_a_published_notebook_ran_in_order(path: Path) -> None:
    cells = [
        cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"
    ]

    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
