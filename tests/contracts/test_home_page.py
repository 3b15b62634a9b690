"""The home page of a stack: it leads on, begins a task that somebody plays, and shows episodes to who watches."""

from __future__ import annotations

import re

import httpx

from companyos.sdk.scenario import load_scenarios
from orchestrator.http.trainer.watch_page import MOST

from .trainer_calls import started, stepped


def episodes_to_watch(page: str) -> list[str]:
    """Return the ids of the episodes that the page links, newest first."""
    return re.findall(r'href="watch\?episode_id=([^"]+)"', page)


async def test_the_landing_page_leads_on(http: httpx.AsyncClient) -> None:
    page = await http.get("/")

    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    links = [part.split('"')[0] for part in page.text.split('href="')[1:]]
    assert {"docs", "openapi.json", "manifest", "health"} <= set(links)
    for link in links:
        assert (await http.get(f"/{link}")).status_code == 200, link
    for shown in (
        f"companyos view --url {http.base_url}".rstrip("/"),
        "companyos report",
        "<code>docs</code>",
    ):
        assert shown in page.text
    assert all(
        f"companyos play {name} --url {http.base_url}".rstrip("/") in page.text for name in load_scenarios()
    )


async def test_the_form_of_the_landing_page_begins_the_chosen_task(http: httpx.AsyncClient) -> None:
    chosen = {"scenario": "expense_report", "seed": "3", "chaos": "2"}

    led = await http.post("/play", data=chosen, follow_redirects=False)
    (newest, *_) = episodes_to_watch((await http.get("/watch")).text)
    (begun, *_) = (await http.get(f"/episodes/{newest}/trace")).json()
    wrong = await http.post("/play", data={**chosen, "seed": "-1"})
    shown = await http.post("/play", data={**chosen, "seed": "-1"}, headers={"accept": "text/html"})
    unknown = await http.post("/play", data={"scenario": "nothing"}, headers={"accept": "text/html"})
    of_another_script = await http.post("/play", data={**chosen, "seed": "\N{FULLWIDTH DIGIT THREE}"})

    assert led.status_code == 303
    assert "/web/enter?token=" in led.headers["location"]
    assert (begun["scenario"], begun["seed"], begun["chaos"]["level"]) == ("expense_report", 3, 2)
    assert (wrong.status_code, wrong.json()["type"]) == (422, "invalid_request")
    assert (shown.status_code, shown.headers["content-type"][:9]) == (422, "text/html")
    assert "<strong>Seed:</strong> This should be" in shown.text
    assert [page.text.count('<a href="./">') for page in (shown, unknown)] == [1, 1]
    assert unknown.status_code == 404
    assert of_another_script.status_code == 422


async def test_an_episode_can_be_watched_while_it_runs_and_after_it_ended(http: httpx.AsyncClient) -> None:
    episode_id = await started(http)
    await stepped(http, episode_id)

    running = await http.get("/watch", params={"episode_id": episode_id})
    listed = await http.get("/watch")
    await http.post(
        "/step",
        json={
            "episode_id": episode_id,
            "action": {"type": "call_tool", "tool_name": "finish", "arguments": {}},
        },
    )
    ended = await http.get("/watch", params={"episode_id": episode_id})

    assert f'href="watch?episode_id={episode_id}"' in listed.text
    assert [page.headers.get("refresh") for page in (listed, running, ended)] == ["3", "3", None]
    assert [text in running.text for text in ("running, return", "Stop loading again")] == [True, True]
    assert "not solved, return" in ended.text
    assert ["Not achieved</strong>" in page.text for page in (running, ended)] == [False, True]
    assert ended.text.index("<strong>finish</strong>") < ended.text.index(
        "<strong>ticketdesk_list_tickets</strong>"
    )
    assert (await http.get("/watch", params={"episode_id": "nobody"})).status_code == 404


async def test_the_newest_episodes_are_listed_first_however_many_there_are(http: httpx.AsyncClient) -> None:
    begun = [await started(http) for _ in range(MOST + 2)]

    listed = (await http.get("/watch")).text

    shown = [one for one in episodes_to_watch(listed) if one in begun]
    assert shown == begun[:1:-1]
