"""A small service for testing the chassis: notes that can be kept, shared by event, and reminded of."""

from dataclasses import field
from typing import Any, ClassVar

from fastapi import FastAPI

from companyos.chassis import (
    Body,
    Due,
    Event,
    InWorld,
    Name,
    Page,
    PageOf,
    ProcessSettings,
    Reactions,
    Service,
    ServiceError,
    ToolRouter,
    UnitOfWork,
    View,
    page_of,
    searched,
    searching,
    world_metadata,
    world_table,
)

metadata = world_metadata("notebook")


@world_table(metadata, "notes", indexes=[("topic",)], searched=("topic", "text", "kind"))
class Note:
    id: str
    text: str
    topic: str | None = None
    tags: list[str] = field(default_factory=list)
    weight: float = 1.0
    version: int = 1
    kind: str = "plain"


class NoteView(View):
    id: str
    text: str
    topic: str | None
    tags: list[str]
    weight: float
    version: int


class NewNote(Body):
    text: Name
    topic: Name | None = None
    details: dict[str, Any] | None = None


class NoteWritten(Event):
    NAME: ClassVar[str] = "note.written"
    note_id: str


class NoteShared(Event):
    NAME: ClassVar[str] = "note.shared"
    text: str


class Remind(Due):
    NAME: ClassVar[str] = "remind"
    note_id: str


class NoteUnknown(ServiceError):
    status_code = 404
    code = "note_unknown"


reactions = Reactions()


@reactions.on(NoteShared)
async def keep_a_copy(event: NoteShared, unit: UnitOfWork) -> None:
    await write(event.text, None, unit)


@reactions.due(Remind)
async def remind(due: Remind, unit: UnitOfWork) -> None:
    note = await load(due.note_id, unit)
    note.tags = [*note.tags, f"reminded at {unit.now}"]


router = ToolRouter(prefix="/notes", tags=["notes"])


@router.get("", response_model=Page[NoteView], summary="List notes")
async def list_notes(query: PageOf, unit: InWorld) -> dict[str, Any]:
    return page_of(await unit.page(Note, after=query.cursor, limit=query.limit), query.limit)


@router.get("/found/{q}", response_model=Page[NoteView], summary="Search notes", tool=False)
async def search_notes(q: str, query: PageOf, unit: InWorld) -> dict[str, Any]:
    found = await unit.find_page(searching(Note), after=query.cursor, limit=query.limit, **searched(q))
    return page_of(found, query.limit)


@router.get("/containing/{q}", response_model=Page[NoteView], summary="Find a text in notes", tool=False)
async def find_in_notes(q: str, query: PageOf, unit: InWorld) -> dict[str, Any]:
    contains = (("topic", "text", "kind"), q)
    found = await unit.page(Note, after=query.cursor, limit=query.limit, contains=contains)
    return page_of(found, query.limit)


@router.get("/{note_id}", response_model=NoteView, summary="Read a note")
async def get_note(note_id: str, unit: InWorld) -> Note:
    return await load(note_id, unit)


@router.post("", response_model=NoteView, status_code=201, summary="Write a note", tick=120)
async def write_note(body: NewNote, unit: InWorld) -> Note:
    return await write(body.text, body.topic, unit)


@router.patch("/{note_id}", response_model=NoteView, summary="Rewrite a note")
async def rewrite_note(note_id: str, body: NewNote, unit: InWorld) -> Note:
    note = await load(note_id, unit)
    note.text, note.topic, note.version = body.text, body.topic, note.version + 1
    return note


@router.post("/{note_id}/remind", response_model=NoteView, summary="Be reminded of a note in an hour")
async def remind_of_note(note_id: str, unit: InWorld) -> Note:
    note = await load(note_id, unit)
    unit.schedule(Remind(note_id=note_id), at=unit.now + 3600, id=f"remind:{note_id}")
    return note


@router.delete("/{note_id}", status_code=204, summary="Throw a note away", response_model=None)
async def delete_note(note_id: str, unit: InWorld) -> None:
    unit.remove(await load(note_id, unit))


async def load(note_id: str, unit: UnitOfWork) -> Note:
    note = await unit.get(Note, note_id)
    if note is None:
        raise NoteUnknown(
            f"There is no note {note_id!r}. List the notes to see which there are.", field="note_id"
        )
    return note


async def write(text: str, topic: str | None, unit: UnitOfWork) -> Note:
    note = Note(id=await unit.next_id(Note, "N-", width=4), text=text, topic=topic)
    unit.add(note)
    unit.record(NoteWritten(note_id=note.id))
    return note


SERVICE = Service(
    name="notebook",
    title="Notebook",
    summary="Keeps notes.",
    schema_version=1,
    metadata=metadata,
    routers=[router],
    publishes=[NoteWritten],
    reactions=reactions,
)


def create_app(settings: ProcessSettings | None = None) -> FastAPI:
    return SERVICE.app(settings)
