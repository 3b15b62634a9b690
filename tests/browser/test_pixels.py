"""The door of pictures: one play gives the same pictures each time, solves its task, and asks nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from companyos import CompanyosEnv
from companyos.client.pages import pixel_browser
from companyos.client.pages.actions import BrowserActionError, PageLost
from companyos.client.pages.pixel_browser import HEIGHT, WIDTH
from companyos.client.pages.pixel_door import PixelDoorEnv
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home, Status
from companyos.evaluation.runs import read_run
from tests.command_line import run
from tests.scripted_endpoint import completion, function_call, scripted_endpoint

from .player import Play, Player, browser_of, pictures_again, play_by_pictures, replayed_hash

SCENARIO = "vendor_onboarding"
TASK = {"scenario": SCENARIO, "seed": 7, "chaos": 0, "max_steps": 200}
#: Addresses that are none, or that Chromium takes for others than the pages' own.
STRAY = (
    "https://example.com/",
    "../tools",
    "file:///etc/passwd",
    "http://[",
    "%2e%2e/tools",
    "..\\tools",
    "a" * 70_000,
)

pytestmark = pytest.mark.usefixtures("browser")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home.at(tmp_path_factory.mktemp("pixels") / "home")


@pytest.fixture(scope="module")
def stack(home: Home) -> Iterator[Status]:
    with running_stack(home) as stack:
        yield stack


@pytest.fixture(scope="module")
def trainer(stack: Status) -> Callable[[], CompanyosEnv]:
    return lambda: CompanyosEnv(stack.url, token=stack.trainer_token)


@pytest.fixture(scope="module")
def lone(trainer: Callable[[], CompanyosEnv]) -> Iterator[Play]:
    """The oracle's calls, made by clicks and keys."""
    with trainer() as env:
        yield play_by_pictures(env, TASK)


def test_clicks_and_keys_solve_a_task_with_the_hash_of_its_calls(
    lone: Play, trainer: Callable[[], CompanyosEnv]
) -> None:
    with trainer() as env:
        assert replayed_hash(env, TASK, lone) == lone.records[-1]["hash"]

    assert lone.success


def test_two_plays_at_once_show_the_pictures_of_a_lone_one(
    lone: Play, trainer: Callable[[], CompanyosEnv]
) -> None:
    def repeat(_: int) -> list[str]:
        with trainer() as env:
            return pictures_again(env, TASK, lone)

    with ThreadPoolExecutor(2) as threads:
        repeated = list(threads.map(repeat, range(2)))

    assert len(set(lone.player.pictures)) > 40
    assert repeated == [lone.player.pictures] * 2


def test_pages_ask_for_nothing_but_what_is_of_their_episode(lone: Play) -> None:
    assert f"{lone.web}style.css" in lone.player.asked
    assert [url for url in lone.player.asked if not url.startswith(lone.web)] == []


def test_a_link_that_leads_elsewhere_leads_nowhere(trainer: Callable[[], CompanyosEnv]) -> None:
    with trainer() as env:
        env.reset(**TASK)
        web = env.agent_access["agent_urls"]["web"]
        with browser_of(env) as browser:
            page, player = browser.url, Player(browser)
            player.look(
                "(target) => { document.querySelector('header nav a').href = target }", "http://127.0.0.1:9/"
            )
            with pytest.raises(BrowserActionError, match="is not a page of the company"):
                player.click("header nav a.home")
            refused = []
            for address in STRAY:
                with pytest.raises(BrowserActionError):
                    browser.goto(address)
                refused.append(browser.url)

    assert (page, browser.title) == (web, "Your task · CompanyOS")
    assert refused == [web] * len(STRAY)


def test_a_page_that_does_not_arrive_leaves_the_window_as_it_was(
    trainer: Callable[[], CompanyosEnv], monkeypatch: pytest.MonkeyPatch
) -> None:
    with trainer() as env:
        env.reset(**TASK)
        web = env.agent_access["agent_urls"]["web"]
        with browser_of(env) as browser:
            before = browser.picture.sha256
            monkeypatch.setattr(pixel_browser, "TIMEOUT_S", 0.001)
            with pytest.raises(PageLost) as lost:
                browser.goto("ticketdesk_list_tickets")
            monkeypatch.undo()
            browser.perform("noop", [])

    assert "Bearer" not in str(lost.value)
    assert (browser.url, browser.picture.sha256) == (web, before)


def test_an_agent_sees_pictures_and_acts_by_their_places(stack: Status) -> None:
    with PixelDoorEnv(stack.url, token=stack.trainer_token) as env:
        first = env.reset(scenario="license_renewal", seed=1, chaos=0)
        outside = env.step(f"mouse_click({WIDTH}, 10)")
        nothing = env.step({"tool_name": "keyboard_press", "arguments": {"key": "Control+t"}})
        endless = env.step(f"scroll(0, {10**400})")
        opened = env.step("I look at the tickets.\ngoto('ticketdesk_list_tickets')")
        scrolled = env.step({"tool_name": "scroll", "arguments": {"delta_x": 0, "delta_y": 300}})

    screens = [each.observation["screen"] for each in (first, outside, nothing, opened, scrolled)]
    assert [tool["name"] for tool in first.observation["tools"]][:2] == ["mouse_click", "keyboard_type"]
    assert (screens[0]["media_type"], screens[0]["width"], screens[0]["height"]) == (
        "image/png",
        WIDTH,
        HEIGHT,
    )
    assert [screen["sha256"] == screens[0]["sha256"] for screen in screens] == [True] * 3 + [False] * 2
    assert ["outside the picture" in each.observation["last_action_error"] for each in (outside, opened)] == [
        True,
        False,
    ]
    assert "is not a number of pixels" in endless.observation["last_action_error"]
    assert "none of Enter" in nothing.observation["last_action_error"]
    assert [each.observation["step"] for each in (nothing, opened, scrolled)] == [0, 1, 1]
    assert "pixels 300 to" in scrolled.observation.text
    assert first.observation["actions_left"] - scrolled.observation["actions_left"] == 5


async def requests_of_a_model(home: Home, out: Path) -> list[dict[str, Any]]:
    """Return what an endpoint is asked whose model opens the same page twice, as often as it may."""
    opens = function_call("goto", '{"url": "ticketdesk_list_tickets"}')
    limits = ("--seeds", "1", "--chaos", "0", "--max-steps", "2", "--door", "screenshot", "--out", str(out))
    async with scripted_endpoint() as endpoint:
        endpoint.will_answer(completion("", opens))
        model = ("--agent", "openai", "--model", "scripted", "--base-url", f"{endpoint.url}/v1")
        environment = {"COMPANYOS_HOME": str(home.path), "OPENAI_API_KEY": "sk"}
        await asyncio.to_thread(run, "run", SCENARIO, *model, *limits, **environment)
    return endpoint.requests


def images_in(messages: list[dict[str, Any]]) -> list[str]:
    parts = [part for each in messages if isinstance(each["content"], list) for part in each["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


@pytest.mark.usefixtures("stack")
def test_a_model_plays_a_run_by_pictures(home: Home, tmp_path: Path) -> None:
    # The browser of the other tests has the event loop of this thread.
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(asyncio.run, requests_of_a_model(home, tmp_path / "run")).result()

    first, second = (request["messages"] for request in asked)
    [episode] = read_run(tmp_path / "run").episodes
    assert (episode.steps, episode.invalid_actions, episode.agent_error) == (2, 0, None)
    assert [each["role"] for each in second] == ["system", "user", "assistant", "tool", "user"]
    assert images_in(first)[0].startswith("data:image/png;base64,")
    assert images_in(second)[:1] == images_in(first)
    assert len(set(images_in(second))) == 2
