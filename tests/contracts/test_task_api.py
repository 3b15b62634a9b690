"""The Task API: environments, splits and numbered tasks, each of which a reset can choose."""

from __future__ import annotations

import httpx
import pytest

from companyos import CompanyosEnv
from companyos.client import AsyncCompanyosEnv, InvalidRequest, Via
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import find

from .trainer_calls import started

#: The keys that OpenEnv's RFC 013 reserves in a task, with types that it allows. It is in review, and no release has
#: the samplers that read them, so its text is all there is to hold to.
RESERVED = {"id": str, "split": str, "index": int, "difficulty": int, "group": str}


async def scenarios(http: httpx.AsyncClient) -> list[str]:
    return [card["name"] for card in (await http.get("/scenarios")).json()]


async def held_out(http: httpx.AsyncClient) -> set[str]:
    return {card["name"] for card in (await http.get("/scenarios")).json() if card["splits"] == ["test"]}


async def test_there_is_one_environment(http: httpx.AsyncClient) -> None:
    assert (await http.get("/list_environments")).json() == ["companyos"]


async def test_there_are_three_splits(http: httpx.AsyncClient) -> None:
    splits = (await http.get("/companyos/splits")).json()

    assert [split["type"] for split in splits] == ["train", "validation", "test"]


async def test_names_of_environments_know_no_case(http: httpx.AsyncClient) -> None:
    assert (await http.get("/CompanyOS/splits")).status_code == 200


async def test_another_environment_is_not_found(http: httpx.AsyncClient) -> None:
    for answer in (await http.get("/atari/splits"), await http.post("/atari/tasks", json={"split": "train"})):
        assert (answer.status_code, answer.json()["type"]) == (404, "environment_unknown")


async def test_tasks_are_counted_and_listed_from_the_first(http: httpx.AsyncClient) -> None:
    count = (await http.post("/companyos/num_tasks", json={"split": "train"})).json()["num_tasks"]
    listed = (await http.post("/companyos/tasks", json={"split": "train"})).json()

    assert count == listed["num_tasks"] == 100_000 * len({*await scenarios(http)} - await held_out(http))
    assert listed["env_name"] == "companyos"
    assert [task["index"] for task in listed["tasks"]] == list(range(1000))


async def test_consecutive_tasks_visit_every_scenario(http: httpx.AsyncClient) -> None:
    names = await scenarios(http)

    answer = await http.post("/companyos/task_range", json={"split": "test", "start": 0, "stop": len(names)})

    assert sorted(task["scenario"] for task in answer.json()["tasks"]) == sorted(names)


@pytest.mark.parametrize("split", ["train", "validation"])
async def test_a_family_held_out_is_in_no_split_but_that_of_tests(
    http: httpx.AsyncClient, split: str
) -> None:
    tasks = (await http.post("/companyos/tasks", json={"split": split})).json()["tasks"]

    outside = await held_out(http)
    assert {task["scenario"] for task in tasks} == {*await scenarios(http)} - outside
    assert "offboarding" in outside


async def test_splits_do_not_share_seeds(http: httpx.AsyncClient) -> None:
    seeds = []
    for split in ("train", "validation", "test"):
        last = (await http.post("/companyos/num_tasks", json={"split": split})).json()["num_tasks"] - 1
        ends = [await http.post("/companyos/task", json={"split": split, "index": i}) for i in (0, last)]
        seeds += [end.json()["task"]["seed"] for end in ends]

    assert seeds == [0, 99_999, 100_000, 109_999, 200_000, 209_999]


async def test_a_reset_chooses_a_task(http: httpx.AsyncClient) -> None:
    task = (await http.post("/companyos/task", json={"split": "validation", "index": 12})).json()["task"]

    begun = (await http.post("/reset", json={"split": "validation", "index": 12})).json()["metadata"]

    assert (begun["scenario"], begun["seed"], begun["ignored"]) == (task["scenario"], task["seed"], [])


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        ("task", {"split": "train", "index": -1}, 400),
        ("task", {"split": "train", "index": 10**9}, 400),
        ("task", {"split": "train", "index": "first"}, 422),
        ("task", {"split": "train"}, 422),
        ("task", {"split": "holdout", "index": 0}, 422),
        ("tasks", {}, 422),
        ("tasks", {"split": "train", "page": 2}, 422),
        ("task_range", {"split": "train", "start": 5, "stop": 4}, 400),
        ("task_range", {"split": "train", "start": -1}, 400),
        ("task_range", {"split": "train", "start": 0, "stop": 10_001}, 400),
        ("task_range", {"split": "train"}, 400),
        ("task_range", {"split": "test", "start": 139_000}, 400),
    ],
)
async def test_a_bad_choice_is_refused(
    http: httpx.AsyncClient, route: str, body: dict[str, object], status: int
) -> None:
    answer = await http.post(f"/companyos/{route}", json=body)

    assert answer.status_code == status


async def test_a_range_has_all_the_tasks_that_it_names(http: httpx.AsyncClient) -> None:
    wanted = {"split": "train", "start": 500, "stop": 10_500}

    tasks = (await http.post("/companyos/task_range", json=wanted)).json()["tasks"]

    assert [task["index"] for task in tasks] == list(range(500, 10_500))


async def test_a_range_without_an_end_goes_to_the_last_task(http: httpx.AsyncClient) -> None:
    count = (await http.post("/companyos/num_tasks", json={"split": "test"})).json()["num_tasks"]

    answer = await http.post("/companyos/task_range", json={"split": "test", "start": count - 1200})

    assert [task["index"] for task in answer.json()["tasks"]] == list(range(count - 1200, count))


async def test_a_range_that_is_too_long_says_how_long_it_may_be(http: httpx.AsyncClient) -> None:
    refused = (await http.post("/companyos/task_range", json={"split": "train"})).json()

    assert (refused["type"], refused["field"]) == ("invalid_task_index", "stop")
    assert "at most 10000 tasks at a time" in refused["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"split": "train", "index": 0, "scenario": "vendor_onboarding"},
        {"split": "all", "index": 0},
        {"split": "all"},
        {"split": "train", "seed": -1},
        {"split": "train", "index": 0, "seed": -1},
        {"split": "train", "index": True},
    ],
)
async def test_a_reset_that_contradicts_its_task_is_refused(
    http: httpx.AsyncClient, body: dict[str, object]
) -> None:
    answer = await http.post("/reset", json=body)

    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("body", "index", "ignored"),
    [
        ({"split": "test", "index": 4, "seed": 7}, 4, ["seed"]),
        ({"split": "test", "index": 4, "seed": 200_000}, 4, []),
        ({"split": "test", "index": 4, "seed": None}, 4, []),
        ({"split": "test"}, 0, []),
        ({"split": "test", "seed": 7}, 7, []),
        ({"split": "test", "seed": 150_003}, 3, []),
    ],
)
async def test_a_seed_beside_a_split_is_an_index_and_beside_an_index_nothing(
    http: httpx.AsyncClient, body: dict[str, object], index: int, ignored: list[str]
) -> None:
    names = await scenarios(http)

    begun = (await http.post("/reset", json=body)).json()["metadata"]

    assert (begun["scenario"], begun["seed"]) == (names[index % len(names)], 200_000 + index // len(names))
    assert begun["ignored"] == ignored


async def test_an_index_alone_is_of_the_split_for_training(http: httpx.AsyncClient) -> None:
    task = (await http.post("/companyos/task", json={"split": "train", "index": 20})).json()["task"]

    begun = (await http.post("/reset", json={"index": 20})).json()["metadata"]

    assert (begun["scenario"], begun["seed"]) == (task["scenario"], task["seed"])


async def test_a_row_of_the_task_list_is_a_reset(http: httpx.AsyncClient) -> None:
    task = (await http.post("/companyos/task", json={"split": "test", "index": 33})).json()["task"]

    begun = (await http.post("/reset", json=task)).json()["metadata"]

    assert (begun["scenario"], begun["seed"]) == (task["scenario"], task["seed"])
    assert begun["ignored"] == ["difficulty", "group", "id"]


async def test_upcoming_resets_of_a_split_are_its_tasks(http: httpx.AsyncClient) -> None:
    answer = await http.post("/prefetch", json={"split": "test", "seeds": [0, 1]})

    assert answer.status_code < 300, answer.text


async def test_every_task_has_the_keys_by_which_samplers_choose(http: httpx.AsyncClient) -> None:
    names = await scenarios(http)

    tasks = (await http.post("/companyos/task_range", json={"split": "test", "start": 0, "stop": 64})).json()

    for task in tasks["tasks"]:
        assert {key: type(task[key]) for key in RESERVED} == RESERVED
    assert len({task["id"] for task in tasks["tasks"]}) == 64
    assert [task["group"] for task in tasks["tasks"]] == [task["scenario"] for task in tasks["tasks"]]
    tiers = {
        task["group"]: {each["difficulty"] for each in tasks["tasks"] if each["group"] == task["group"]}
        for task in tasks["tasks"]
    }
    assert tiers.keys() == {*names}
    assert {len(tier) for tier in tiers.values()} == {1}
    assert len({tier.pop() for tier in tiers.values()}) > 5


@pytest.mark.parametrize("scenario", ["expense_report", "support_triage"])
async def test_the_difficulty_is_the_most_steps_of_the_oracle(http: httpx.AsyncClient, scenario: str) -> None:
    tasks = (await http.post("/companyos/tasks", json={"split": "train"})).json()["tasks"]

    instance = find(scenario).generate(0, parse_chaos(1), "companyos-public")

    assert {task["difficulty"] for task in tasks if task["group"] == scenario} == {instance.oracle_steps}


@pytest.mark.parametrize("via", list(Via))
def test_a_client_lists_tasks_as_rows_each_of_which_is_a_reset(url: str, via: Via) -> None:
    with CompanyosEnv(url, via=via) as env:
        rows = env.tasks("train", 3, 20)
        begun = env.reset(**rows[7]).metadata

    assert [row.index for row in rows] == list(range(3, 20))
    assert (begun.scenario, begun.seed) == (rows[7].group, rows[7].seed)
    assert all(row.difficulty > 0 for row in rows)


async def test_an_asynchronous_client_lists_the_same_tasks_and_refuses_an_unknown_split(url: str) -> None:
    with CompanyosEnv(url) as blocking:
        expected = blocking.tasks("test", 0, 2)

    async with AsyncCompanyosEnv(url) as env:
        rows = await env.tasks("test", 0, 2)
        with pytest.raises(InvalidRequest):
            await env.tasks("exam", 0, 2)

    assert rows == expected


async def test_a_task_beyond_the_last_cannot_be_chosen(http: httpx.AsyncClient) -> None:
    answer = await http.post("/reset", json={"split": "test", "index": 10**12})

    assert (answer.status_code, answer.json()["type"]) == (400, "invalid_task_index")


async def test_a_chosen_task_is_the_same_instance_as_its_seed(http: httpx.AsyncClient) -> None:
    task = (await http.post("/companyos/task", json={"split": "train", "index": 3})).json()["task"]
    by_index = (await http.post("/reset", json={"split": "train", "index": 3})).json()

    by_seed = (await http.post("/reset", json={"scenario": task["scenario"], "seed": task["seed"]})).json()

    assert by_seed["observation"] == by_index["observation"]
    assert by_seed["metadata"]["trace_hash"] == by_index["metadata"]["trace_hash"]
    assert await started(http) != by_seed["metadata"]["episode_id"]
