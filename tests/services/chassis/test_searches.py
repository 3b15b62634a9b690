"""Full-text search over a world: its live rows as they are now, best first, and those of no other world."""

from dataclasses import replace
from itertools import product
from string import ascii_lowercase
from urllib.parse import quote

import pytest
from psycopg import AsyncConnection

from companyos.chassis import searched, searching
from companyos.chassis.search_words import STOP_WORDS
from companyos.chassis.world.statements import chain_parameters
from tests.live_services import Desk, World

from .notebook import Note

#: The two ways to search: for words of a text, and for a part of it.
WAYS = ("found", "containing")
SPELLINGS = ("call-back", "call back", "callback", "call_back", "Call-Backs", "CALLBACKS", "call backs")


async def found(world: World, q: str, way: str = "found") -> list[str]:
    answer = await world.get(f"/notes/{way}/{quote(q)}")
    assert answer.status_code == 200, answer.text
    assert answer.json()["total"] == len(answer.json()["items"])
    return [note["id"] for note in answer.json()["items"]]


async def test_a_search_sees_rows_as_they_are_now(notebook: Desk) -> None:
    base = [
        {"id": "N-1", "text": "buy milk"},
        {"id": "N-2", "text": "sell milk"},
        {"id": "N-3", "text": "milk"},
    ]
    world = await notebook.world({"notes": base})

    await world.patch("/notes/N-1", json={"text": "buy bread"})
    await world.call("DELETE", "/notes/N-2")
    await world.post("/notes", json={"text": "milk the cow"})

    assert await found(world, "milk") == ["N-0004", "N-3"]
    assert await found(world, "bread") == ["N-1"]


async def test_a_search_reads_a_chain_of_layers_and_nothing_else(notebook: Desk) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "buy milk"}]})
    other = await notebook.world({"notes": [{"id": "N-9", "text": "buy milk"}]})
    await world.patch("/notes/N-1", json={"text": "buy oat milk"})

    base, layer = world.context.chain
    fork = World(
        notebook, replace(world.context, world=layer + 10**9, chain=(base, layer, layer + 10**9)), world.steps
    )
    await fork.post("/notes", json={"text": "oat flakes"})

    assert await found(fork, "oat") == ["N-0002", "N-1"]
    assert await found(world, "oat") == ["N-1"]
    assert await found(other, "milk") == ["N-9"]


@pytest.mark.parametrize("q", [" 12", '" 12"', "a:*", "layer_id", "%s", "or", "the", "-12", "\\a' | '12"])
async def test_search_queries_neither_fail_nor_reach_beyond_the_text(notebook: Desk, q: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "12 eggs"}]})

    assert await found(world, q) in ([], ["N-1"] if "12" in q else [])


async def test_the_topic_counts_for_more_than_the_text(notebook: Desk) -> None:
    notes = [
        {"id": "N-1", "topic": "food", "text": "milk milk milk"},
        {"id": "N-2", "topic": "milk", "text": "where to buy it"},
    ]
    world = await notebook.world({"notes": notes})

    assert await found(world, "milk") == ["N-2", "N-1"]


async def test_a_search_reads_the_rows_of_its_own_layers_only(notebook: Desk) -> None:
    notes = [{"id": f"N-{number}", "text": f"note {number} about milk"} for number in range(300)]
    for _ in range(3):
        world = await notebook.world({"notes": notes})
    query = searching(Note)
    bound = {
        **query.constants,
        **chain_parameters(world.context.chain),
        **searched("9"),
        "after": "",
        "limit": 5,
    }
    async with await AsyncConnection.connect(notebook.databases.admin_url) as connection:
        await connection.execute("ANALYZE notebook.notes")
    async with await AsyncConnection.connect(notebook.databases.url("notebook")) as connection:
        lines = await (await connection.execute(f"EXPLAIN {query.sql}", bound)).fetchall()

    plan = "\n".join(line for (line,) in lines)
    assert "Index Cond: (layer_id" in plan
    assert "Seq Scan on notes" not in plan


@pytest.mark.parametrize(
    ("way", "q"),
    [("found", q) for q in ("-" * 33, "- " * 40, "'", "' | '", "!", "( & )", "_", '"', "…")]
    + [("containing", q) for q in ("-" * 33, "- " * 40, "_")],
)
async def test_a_text_without_words_is_refused(notebook: Desk, way: str, q: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "12 - eggs"}]})

    refused = await world.get(f"/notes/{way}/{quote(q)}")

    assert (refused.status_code, refused.json()["type"]) == (422, "query_empty")
    assert "letter or digit" in refused.json()["detail"]


@pytest.mark.parametrize("part", ["milk; -- two", "two  eggs,\n", "-- two", "now; -- buy milk; -- two  eggs"])
async def test_a_part_copied_from_a_text_finds_it(notebook: Desk, part: str) -> None:
    text = "now; -- buy milk; -- two  eggs,\nand more"
    world = await notebook.world({"notes": [{"id": "N-1", "text": text}]})

    assert await found(world, part, "containing") == ["N-1"]


@pytest.mark.parametrize("way", WAYS)
async def test_more_words_than_a_search_takes_are_refused(notebook: Desk, way: str) -> None:
    world = await notebook.world()

    refused = await world.get(f"/notes/{way}/{quote('word ' * 61)}")

    assert (refused.status_code, refused.json()["type"]) == (422, "query_too_long")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("q", SPELLINGS)
async def test_any_spelling_of_a_compound_finds_every_other(notebook: Desk, way: str, q: str) -> None:
    notes = [{"id": f"N-{number}", "text": f"The {text} is due."} for number, text in enumerate(SPELLINGS)]
    world = await notebook.world(
        {"notes": [*notes, {"id": "N-9", "text": "Voices, ice and a calling card."}]}
    )

    assert sorted(await found(world, q, way)) == [note["id"] for note in notes]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("q", "text"),
    [
        ("data center", "The data centre is empty."),
        ("data-centres", "The data center is empty."),
        ("licence", "Two licenses end."),
        ("license", "Two licences end."),
        ("organisation", "The organization changes."),
    ],
)
async def test_british_and_american_spellings_find_one_another(
    notebook: Desk, way: str, q: str, text: str
) -> None:
    world = await notebook.world(
        {"notes": [{"id": "N-1", "text": text}, {"id": "N-2", "text": "Something else."}]}
    )

    assert await found(world, q, way) == ["N-1"]


@pytest.mark.parametrize("way", WAYS)
async def test_labels_are_searched_in_any_spelling(notebook: Desk, way: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "Ring them.", "kind": "call_back"}]})

    assert await found(world, "callback", way) == ["N-1"]


@pytest.mark.parametrize(
    ("q", "text"), [("email", "e-mail"), ("sign-off", "signoff"), ("day-to-day", "day to day")]
)
async def test_compounds_of_short_words_are_found(notebook: Desk, q: str, text: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": text}, {"id": "N-2", "text": "an office"}]})

    assert await found(world, q) == ["N-1"]


@pytest.mark.parametrize("q", ["invoice", "office", "notice", "overtime", "therapy"])
async def test_a_word_is_not_split_at_a_word_that_is_not_indexed(notebook: Desk, q: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "voice, ice, time, rapy"}]})

    assert await found(world, q) == []


async def test_rows_in_the_spelling_of_the_query_come_first(notebook: Desk) -> None:
    notes = [{"id": "N-1", "text": "callback"}, {"id": "N-2", "text": "call-back"}]
    world = await notebook.world({"notes": notes})

    assert await found(world, "call-back") == ["N-2", "N-1"]
    assert await found(world, "callback") == ["N-1", "N-2"]


@pytest.mark.parametrize(
    "q",
    [
        "card declined",
        '"card declined" fee',
        "card or fee -late",
        "CC-210 3.5%",
        "the AT&T (EU) fee: a/b",
        "o'neill",
    ],
)
async def test_a_query_as_written_means_what_postgresql_says(notebook: Desk, q: str) -> None:
    english = "'pg_catalog.english', %s)::text"
    statement = f"SELECT to_tsquery({english}, websearch_to_tsquery({english}"
    async with await AsyncConnection.connect(notebook.databases.admin_url) as connection:
        answer = await connection.execute(statement, (searched(q)["as_written"], q))
        ours, theirs = await answer.fetchone() or ()

    assert ours == theirs


async def test_stop_words_are_those_of_postgresql(notebook: Desk) -> None:
    statement = (
        "SELECT word FROM unnest(%s::text[]) AS word WHERE to_tsvector('pg_catalog.english', word) = ''"
    )
    short = ["".join(letters) for count in (1, 2, 3) for letters in product(ascii_lowercase, repeat=count)]
    async with await AsyncConnection.connect(notebook.databases.admin_url) as connection:
        answer = await connection.execute(statement, ([*short, *STOP_WORDS],))
        not_indexed = {word for (word,) in await answer.fetchall()}

    assert not_indexed == STOP_WORDS


@pytest.mark.parametrize(
    "q", ["the rules of spending", "spending or of", "rules -the", '"rules of" spending']
)
async def test_words_that_are_not_indexed_do_not_count(notebook: Desk, q: str) -> None:
    world = await notebook.world({"notes": [{"id": "N-1", "text": "Spending rules of the units"}]})

    assert await found(world, q) == ["N-1"]
