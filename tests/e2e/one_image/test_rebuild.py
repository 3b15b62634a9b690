"""The images of this tree, built twice from nothing, are the same images."""

import pytest

from tests.sizes import FULL

from . import rebuild


@pytest.mark.skipif(not FULL, reason="takes minutes: set COMPANYOS_PROOF=full")
def test_two_builds_of_one_tree_are_one_image(capsys: pytest.CaptureFixture[str]) -> None:
    code = rebuild.main()

    assert code == 0, capsys.readouterr().out
