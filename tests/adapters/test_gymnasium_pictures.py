"""Gymnasium's observations by the door of pictures."""

import shutil

import pytest

from companyos.client.pages.chromium import PROGRAMS

from .conftest import Play


@pytest.mark.skipif(not any(map(shutil.which, PROGRAMS)), reason="no Chromium is installed")
def test_gymnasium_observes_pictures_of_pages(play: Play, url: str) -> None:
    seen = play("gymnasium", "gymnasium_pixels.py", url)

    assert seen["fits"] == [True] * 3
    assert seen["shape"] == [720, 1280, 3]
    assert (seen["again"], seen["moved"]) == (True, True)
    assert seen["text"].startswith("Tickets")
