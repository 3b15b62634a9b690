"""Input that no honest caller sends: refused with a problem document that names the field, and nothing changes."""

import json
from typing import Any

import httpx
import pytest

from tests.live_services import Desk, World

from .company import person, score, start, vendor


async def patch(world: World, content: str | bytes) -> httpx.Response:
    return await world.patch("/records/V-104", content=content, headers={"content-type": "application/json"})


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ('{"name": "A", "owner": "me"}', "owner"),
        ('{"name": "   "}', "name"),
        ('{"name": "%s"}' % ("x" * 201), "name"),
        ('{"status": "deleted"}', "status"),
        ('{"version": 0, "name": "A"}', "version"),
        ('{"version": true, "name": "A"}', "version"),
        ('{"fields": {}}', "fields"),
        ('{"fields": {"": 1}}', "fields"),
        ('{"fields": {"a": {"b": 1}}}', "fields.a"),
        ('{"fields": {"a": [1]}}', "fields.a"),
        ('{"fields": {"a": "%s"}}' % ("x" * 4001), "fields.a"),
        ('{"fields": {"a": 123456789012345678901234567890}}', "fields.a"),
        ('{"fields": {"a": -1e16}}', "fields.a"),
        (json.dumps({"fields": dict.fromkeys(map(str, range(51)), 1)}), "fields"),
        ("null", ""),
    ],
)
async def test_a_body_that_is_not_as_documented_is_refused_by_the_field(
    datahub: Desk, content: str, field: str
) -> None:
    world = await start(datahub, records=[vendor()])

    refused = await patch(world, content)

    assert refused.status_code == 422, refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "invalid_request"
    assert refused.json()["field"].startswith(field)
    assert await world.rows("records", scope="diff") == {}


@pytest.mark.parametrize(
    "content",
    [
        b'{"fields": {"a": Infinity}}',
        b'{"fields": {"a": 1e999}}',
        b'{"fields": {"a\\u0000b": 1}}',
        b'{"name": "a\\ud800b"}',
        b'{"fields": {"\\udfff": 1}}',
        b'{"name": "\xff"}',
        b'{"name": "A"',
        b'{"name": "A", "name": {"a": ' + b"[" * 2000 + b"]" * 2000 + b"}}",
    ],
)
async def test_lenient_json_and_unstorable_values_are_refused(datahub: Desk, content: bytes) -> None:
    world = await start(datahub, records=[vendor()])

    refused = await patch(world, content)

    assert refused.status_code == 422, refused.text
    assert refused.json()["type"] == "invalid_request"
    assert await world.rows("records", scope="diff") == {}


async def test_a_value_of_several_forms_is_one_flaw_that_names_the_forms(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    refused = (await patch(world, '{"fields": {"a": [1], "b": 1e16}}')).json()

    assert [flaw["loc"] for flaw in refused["errors"]] == [["fields", "a"], ["fields", "b"]]
    assert "bool:" not in refused["detail"]
    assert "constrained" not in refused["detail"]
    assert "less than or equal to 1000000000000000" in refused["errors"][1]["msg"]


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/catalog/metrics", {"name": "x" * 101}, "name"),
        ("/catalog/metrics", {"name": ""}, "name"),
        ("/catalog/metrics", {"value": "72"}, "value"),
        ("/catalog/metrics", {"name": "a\x00b"}, None),
        ("/jobs", {"status": "done"}, "status"),
        ("/records", {"q": "x" * 101}, "q"),
        ("/people", {"q": "\x00"}, None),
        ("/people/sarah.chen", {"verbose": "true"}, "verbose"),
        ("/people/" + "x" * 101, {}, "person_id"),
    ],
)
async def test_a_query_that_is_not_as_documented_is_refused_by_the_field(
    datahub: Desk, path: str, query: dict[str, Any], field: str | None
) -> None:
    world = await start(datahub, metrics=[score()])

    answer = await world.get(path, params=query)

    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "invalid_request"
    assert answer.json().get("field") == field


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/catalog/metrics/a%00b/lineage", "metric_unknown"),
        ("/people/%00", "person_unknown"),
        ("/jobs/%ff", "job_unknown"),
        ("/records/%00", "record_unknown"),
        ("/access/%00", "permission_unknown"),
        ("/approvers/%00", "role_vacant"),
        ("/approvers/%F0%9F%92%A9", "role_vacant"),
    ],
)
async def test_ids_that_cannot_exist_are_unknown(datahub: Desk, path: str, code: str) -> None:
    world = await start(datahub)

    answer = await world.get(path)

    assert (answer.status_code, answer.json()["type"]) == (404, code)


async def test_the_path_of_metrics_is_not_that_of_the_process(datahub: Desk) -> None:
    page = await datahub.client.get("/metrics", headers=datahub.admin)

    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/plain")


async def test_roles_and_kinds_are_taken_in_any_case(datahub: Desk) -> None:
    world = await start(datahub, people=[person()], records=[vendor()])

    assert (await world.get("/approvers/CFO")).json()["id"] == "sarah.chen"
    assert len((await world.get("/people", params={"role": "Cfo"})).json()["items"]) == 1
    assert len((await world.get("/records", params={"kind": "Vendor"})).json()["items"]) == 1


async def test_text_in_an_id_or_a_filter_is_never_part_of_the_statement(datahub: Desk) -> None:
    world = await start(datahub, records=[vendor()])

    answers = [
        await world.get("/records", params={"q": "' OR '1'='1"}),
        await world.get("/records", params={"kind": "vendor'; DROP TABLE datahub.records; --"}),
    ]

    assert [answer.json()["items"] for answer in answers] == [[], []]
    assert (await world.get("/records/V-104")).status_code == 200
