"""BrowserGym's tasks: the oracle's episode in pages has the hash of its calls, and messages of the agent end one."""

import shutil

import pytest

from companyos.client.pages.chromium import PROGRAMS
from companyos.sdk.scenario import load_scenarios

from .conftest import Play

CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_browsergym_plays_the_pages_of_every_family(play: Play, url: str) -> None:
    seen = play("browsergym", "browsergym_oracle.py", url, CHROMIUM)

    assert seen["registered"] == [f"browsergym/companyos.{name}" for name in load_scenarios()]
    assert seen["hashes"][0] == seen["hashes"][1]
    assert (seen["success"], seen["terminated"]) == (True, True)
    assert seen["returns"][0] == pytest.approx(seen["returns"][1])
    assert seen["shown"]["picture"] == [720, 1280, 3]
    assert seen["browsers"] == [1, "WindowlessChat"]
    assert "renew" in seen["goal"]
    assert seen["ends"] == {"finish": [True, False], "refuse": [True, False]}
