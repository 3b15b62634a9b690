"""Statements that services write over the live rows of a world."""

from sqlalchemy import bindparam, select

from companyos.chassis import Query, live, world_metadata, world_table

metadata = world_metadata("queries")


@world_table(metadata, "pages")
class Page:
    id: str
    topic: str | None = None


def test_a_query_brings_its_literals_along_and_leaves_its_named_parameters_to_the_caller() -> None:
    pages = live(Page)
    wanted = pages.c.topic.like("a%"), pages.c.id > bindparam("after")

    query = Query(select(pages).where(*wanted).limit(1), Page)

    assert set(query.constants.values()) == {"a%", 1}
    assert "%(after)s" in query.sql
    assert not {"chain", "above", "after"} & set(query.constants)
