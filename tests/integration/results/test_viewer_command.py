"""`companyos view`: runs and a running stack, step by step."""

import re
from collections.abc import Iterator

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.evaluation.runs import EpisodeRecord, Run, read_run
from tests.page_sources import foreign_sources
from tests.result_pages import Results

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def run(results: Results) -> Run:
    return read_run(results.runs["ignores_messages"])


@pytest.fixture(scope="module")
def eventful(run: Run) -> EpisodeRecord:
    """An episode in which much went wrong and was overcome."""
    return next(record for record in run.episodes if record.chaos == 3 and record.success)


@pytest.fixture
def env(results: Results) -> Iterator[CompanyosEnv]:
    with CompanyosEnv(results.stack.url, token=results.stack.trainer_token) as env:
        yield env


def test_the_runs_are_listed_with_their_success(client: httpx.Client, results: Results) -> None:
    page = client.get("/").text

    for name in results.runs:
        assert f'<a href="/runs/{name}" data-row>' in page
    assert '<a href="/live" data-row>Live episodes</a>' in page


def test_every_step_of_every_episode_has_a_page(client: httpx.Client, run: Run) -> None:
    for record in run.episodes[:4]:
        for number in range(1, record.steps + 1):
            answer = client.get(f"/runs/ignores_messages/{record.key}/{number}")
            assert answer.status_code == 200, (record.key, number)
        assert client.get(f"/runs/ignores_messages/{record.key}/{record.steps + 1}").status_code == 404


def test_a_step_shows_what_the_trace_says(client: httpx.Client, run: Run, eventful: EpisodeRecord) -> None:
    records = run.trace(eventful.key)[1:]
    record = next(each for each in records if each["events"] and len(each["ledger"]) > 1)

    page = client.get(f"/runs/ignores_messages/{eventful.key}/{record['step']}").text

    for event in record["events"]:
        assert event["name"] in page
    for change in record["changes"]:
        assert f"{change['id']}</" in page
    for line in record["ledger"]:
        assert line["name"] in page


def test_an_episode_shows_what_was_checked_and_which_faults_came(
    client: httpx.Client, run: Run, eventful: EpisodeRecord
) -> None:
    page = client.get(f"/runs/ignores_messages/{eventful.key}").text

    for predicate in eventful.predicates:
        assert predicate.name in page
    for fault in eventful.faults:
        assert fault.fault in page
    assert "What the agent was told" in page


def test_a_live_episode_is_shown_while_it_is_played(client: httpx.Client, env: CompanyosEnv) -> None:
    env.reset(scenario="vendor_onboarding", seed=1)
    env.step(HOSTILE)
    address = f"/live/episode?id={env.episode_id}"

    listed, shown = client.get("/live").text, client.get(f"{address}&step=last").text
    env.call("wait", seconds=60)
    counted = client.get(f"/live/count?id={env.episode_id}").json()

    assert f"{address}&amp;step=last" in listed
    assert "in progress" in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert HOSTILE not in shown
    assert counted == {"steps": 2, "done": False}
    assert client.get(f"{address}&step=2").status_code == 200
    assert client.get(f"{address}&step=3").status_code == 404


def test_the_live_list_keeps_episodes_in_progress_apart_from_ended_ones(
    client: httpx.Client, env: CompanyosEnv
) -> None:
    env.reset(scenario="vendor_onboarding", seed=7, episode_id="over")
    env.call("finish")
    with CompanyosEnv(env.base_url) as other:
        other.reset(scenario="vendor_onboarding", seed=8, episode_id="going-on")
        playing, _, ended = client.get("/live").text.partition("<h2>Ended</h2>")

    assert ("id=going-on" in playing, "id=going-on" in ended) == (True, False)
    assert ("id=over" in playing, "id=over" in ended) == (False, True)


def test_a_finished_live_episode_shows_its_grade_and_is_not_watched(
    client: httpx.Client, env: CompanyosEnv
) -> None:
    env.reset(scenario="vendor_onboarding", seed=1)
    env.call("finish")

    page = client.get(f"/live/episode?id={env.episode_id}").text

    assert "data-watch" not in page
    assert "✗ does not hold" in page


def test_the_oracle_is_asked_what_it_would_have_done_in_place_of_a_step(
    client: httpx.Client, results: Results
) -> None:
    failed = read_run(results.runs["believes_claims"]).episodes[0]
    solved = read_run(results.runs["ignores_messages"]).episodes[0]

    first = client.post(f"/runs/ignores_messages/{solved.key}/1").text
    last = client.post(f"/runs/believes_claims/{failed.key}/{failed.steps}").text

    assert (
        "What would the oracle have done here?" in client.get(f"/runs/ignores_messages/{solved.key}/1").text
    )
    assert "The oracle makes the same call here." in first
    assert f"with {solved.steps - 1} more after this" in first
    assert "The oracle does not solve the task from here." in last


def test_the_oracle_is_asked_about_a_step_of_a_live_episode(client: httpx.Client, env: CompanyosEnv) -> None:
    env.reset(scenario="vendor_onboarding", seed=1, chaos=0)
    env.call("wait", seconds=60)

    page = client.post(f"/live/episode?id={env.episode_id}&step=1").text

    assert '<code class="call">ticketdesk_get_ticket</code>' in page
    assert env.call("wait", seconds=60).observation.step == 2


def test_a_page_from_elsewhere_cannot_ask_the_oracle(client: httpx.Client, run: Run) -> None:
    place = f"/runs/ignores_messages/{run.episodes[0].key}/1"

    refused = [
        client.post(place, headers={"Sec-Fetch-Site": site}).status_code
        for site in ("cross-site", "same-site")
    ]

    assert refused == [403, 403]


def test_an_episode_id_may_be_any_name(client: httpx.Client, env: CompanyosEnv) -> None:
    env.reset(scenario="vendor_onboarding", seed=1, episode_id="team a/7?x=1&y=#2")
    env.call("wait", seconds=60)

    links = re.findall(r'href="(/live/episode\?id=team[^"]+)"', client.get("/live").text)

    assert len(links) == 1
    assert client.get(links[0].replace("&amp;", "&")).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/live",
        "/nothing",
        "/runs/ignores_messages",
        "/runs/ignores_messages/{0}",
        "/runs/ignores_messages/{0}/1",
    ],
)
def test_viewer_pages_load_nothing_from_another_host(client: httpx.Client, run: Run, path: str) -> None:
    page = client.get(path.format(run.episodes[0].key)).text

    assert "<html" in page
    assert foreign_sources(page, client.base_url.netloc.decode()) == []


def test_the_token_of_the_stack_reaches_no_page(client: httpx.Client, results: Results, run: Run) -> None:
    token = results.stack.trainer_token
    pages = [
        client.get(path)
        for path in ("/", "/live", f"/runs/ignores_messages/{run.episodes[0].key}/1", "/nothing")
    ]

    assert all(token is None or token not in f"{page.headers}{page.text}" for page in pages)
