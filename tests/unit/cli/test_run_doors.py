"""The doors of `companyos run` that do not open."""

import re

import pytest
import typer

from companyos.cli.run import contradictions
from companyos.cli.run.contradictions import refuse_door
from companyos.evaluation.runs import AgentSpec, RunRequest
from companyos.evaluation.runs.request import Door


@pytest.mark.parametrize(
    ("kind", "door", "complaint"),
    [
        ("mcp", Door.TEXT, "an mcp agent connects by itself"),
        ("oracle", Door.SCREENSHOT, "oracle sees no pictures; it plays through pages with --door text"),
        ("openai", Door.SCREENSHOT, "Install it with: pip install 'openenv-companyos[browser]'"),
    ],
)
def test_a_door_that_does_not_open_is_refused_with_what_helps(
    kind: str, door: Door, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contradictions, "find_spec", lambda name: None)
    asked = RunRequest(AgentSpec(kind, kind), {"errand": 1}, (0,), (0,), door=door)

    with pytest.raises(typer.BadParameter, match=re.escape(complaint)):
        refuse_door(asked)
