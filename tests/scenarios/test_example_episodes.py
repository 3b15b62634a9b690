"""The page of example episodes matches real episodes."""

import pytest

from companyos import CompanyosEnv
from companyos.sdk.scenario import find
from docs.episodes import INTRODUCTION, PAGE, chapter
from tests.families import ALL
from tests.sizes import size

pytestmark = pytest.mark.proof


def test_every_family_has_its_chapter() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert text.startswith(INTRODUCTION)
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [
        find(name).title for name in ALL
    ]


@pytest.mark.parametrize("name", size(["handbook_update", "quarter_close"], ALL))
def test_an_episode_goes_as_the_page_tells(url: str, name: str) -> None:
    with CompanyosEnv(url) as env:
        told = chapter(env, find(name))

    assert told in PAGE.read_text(encoding="utf-8"), "write it anew: python -m docs.episodes"
    assert "\n  solved in " in told
