"""The Chromium of a process: what is missing is told with the command that installs it."""

import pytest

from companyos.client.pages import chromium
from companyos.client.pages.chromium import BrowserMissing
from companyos.client.pages.pixel_browser import PixelBrowser


def test_a_missing_playwright_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "find_spec", lambda name: None)

    with pytest.raises(BrowserMissing, match=r"pip install 'openenv-companyos\[browser\]'"):
        PixelBrowser("http://127.0.0.1:9/web/", "token")


def test_a_missing_chromium_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "_program", lambda own: None)
    monkeypatch.setattr(chromium, "_chromium_of", lambda process: chromium.Chromium())

    with pytest.raises(BrowserMissing, match="playwright install --with-deps chromium-headless-shell"):
        PixelBrowser("http://127.0.0.1:9/web/", "token")
