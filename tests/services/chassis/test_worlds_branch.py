"""Worlds as layers behave like worlds that were copied whole: a differential property test over branches."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.live_services import Desk, World

BASE = [{"id": f"B-{number}", "text": f"base {number}"} for number in range(4)]
ids = st.sampled_from(["B-0", "B-1", "B-2", "N-0001", "N-0002", "N-0003"])
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
actions = st.one_of(
    st.tuples(st.just("write"), texts),
    st.tuples(st.just("rewrite"), ids, texts),
    st.tuples(st.just("delete"), ids),
    st.tuples(st.just("fork")),
    st.tuples(st.just("fold"), st.booleans()),
    st.tuples(st.just("switch"), st.integers(0, 5)),
)


@dataclass
class Branch:
    """A world, and the same world as a plain dict copied whole."""

    world: World
    rows: dict[str, str] = field(default_factory=dict)
    written: int = 0

    async def write(self, text: str) -> None:
        self.written += 1
        self.rows[f"N-{self.written:04}"] = text
        assert (await self.world.post("/notes", json={"text": text})).status_code == 201

    async def rewrite(self, key: str, text: str) -> None:
        answer = await self.world.patch(f"/notes/{key}", json={"text": text})
        assert answer.status_code == (200 if key in self.rows else 404)
        if key in self.rows:
            self.rows[key] = text

    async def delete(self, key: str) -> None:
        answer = await self.world.call("DELETE", f"/notes/{key}")
        assert answer.status_code == (204 if key in self.rows else 404)
        self.rows.pop(key, None)


class Tree:
    """All branches that came of one world."""

    def __init__(self, world: World) -> None:
        self.layer = world.context.layer * 1000
        self.branches = [Branch(world, {row["id"]: row["text"] for row in BASE})]
        self.current = self.branches[0]

    def fork(self) -> None:
        """Freeze the current layer and go on in two new ones above it."""
        parent = self.current
        for _ in range(2):
            self.layer += 1
            context = parent.world.context
            above = replace(context, world=self.layer, chain=(*context.chain, self.layer))
            child = World(parent.world.desk, above, deepcopy(parent.world.steps))
            self.branches.append(Branch(child, dict(parent.rows), parent.written))
        self.branches.remove(parent)
        self.current = self.branches[-1]

    async def fold(self, shortened: bool) -> None:
        """Fold the frozen layers of the current branch; its chain may do without them from then on."""
        world = self.current.world
        base, *lower, into, last = world.context.chain if len(world.context.chain) > 3 else (0, 0, 0)
        if not lower:
            return
        body = {"chain": lower, "into": into}
        folded = await world.desk.client.post("/admin/layers/fold", json=body, headers=world.desk.admin)
        assert folded.status_code == 204
        if shortened:
            world.context = replace(world.context, chain=(base, into, last))

    async def act(self, action: tuple[Any, ...]) -> None:
        name, *arguments = action
        if name == "fork":
            self.fork()
        elif name == "switch":
            self.current = self.branches[arguments[0] % len(self.branches)]
        elif name == "fold":
            await self.fold(*arguments)
        else:
            await getattr(self.current, name)(*arguments)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(actions, max_size=16))
async def test_a_branch_holds_what_a_whole_copy_would_hold(
    notebook: Desk, steps: list[tuple[Any, ...]]
) -> None:
    tree = Tree(await notebook.world({"notes": BASE}))

    for step in steps:
        await tree.act(step)

    for branch in tree.branches:
        listed = (await branch.world.get("/notes", params={"limit": 200})).json()["items"]
        assert {note["id"]: note["text"] for note in listed} == branch.rows
        assert {key: row["text"] for key, row in (await branch.world.rows("notes")).items()} == branch.rows
