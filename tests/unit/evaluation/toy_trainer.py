"""A tiny company in memory whose reward is sound, or has a hole that an attack is to find."""

from dataclasses import dataclass, replace

from companyos.evaluation.attacks import Played
from companyos.sdk.scenario import Scenario, call

STEP = -0.1
MOST_STEPS = 60
TICKET = {"type": "string", "description": "Id of a ticket: `TD-1`."}


def tool(name, **properties):
    return {
        "name": name,
        "input_schema": {"type": "object", "properties": properties, "required": [*properties]},
    }


TOOLS = [
    tool("toy_verify_ticket", ticket_id=TICKET),
    tool("toy_unverify_ticket", ticket_id=TICKET),
    tool("toy_get_ticket", ticket_id=TICKET),
    tool("toy_choose_door", door={"type": "string"}),
    tool("wait", seconds={"type": "integer"}),
    tool("finish"),
    tool("refuse", reason_code={"type": "string", "enum": ["no_door"]}),
]


@dataclass(frozen=True)
class Holes:
    """What is wrong with the reward.

    Attributes:
        keeps_milestones: A milestone is paid whenever it begins to hold, and not taken back when it ceases to.
        master_key: A door that is right on every seed.
        forgives: A success is called one although something forbidden was done.
        keeps_mistakes: A drill never gives back what mistakes cost.
        gift: What a failed `finish` earns in a drill.
    """

    keeps_milestones: bool = False
    master_key: str = ""
    forgives: bool = False
    keeps_mistakes: bool = False
    gift: float = 0.0


class ToyErrand(Scenario):
    """Verify the ticket, and choose the door that is right on this seed."""

    name = "toy_errand"
    version = 1
    title = "Errand"
    summary = "Choose the right door."

    def __init__(self, extra=()):
        self._extra = extra

    def generate(self, seed, chaos, salt, size="default"):
        raise NotImplementedError

    def oracle(self, observation):
        shown = yield call("toy_get_ticket", ticket_id="TD-1")
        yield call("toy_verify_ticket", ticket_id="TD-1", idempotency_key="call-1")
        for door in self._extra:
            yield call("toy_choose_door", door=door)
        yield call("toy_choose_door", door=shown["result"]["door"])
        yield call("finish", answer="done")


@dataclass(frozen=True)
class ToyState:
    """Where an episode stands."""

    seed: int
    rewards: str = "seed"
    steps: int = 0
    earned: float = 0.0
    verified: bool = False
    door: str = ""
    done: bool = False
    success: bool = False


class ToyTrainer:
    """Starts episodes of the errand, and counts those that were not closed."""

    def __init__(self, holes=Holes()):
        self.holes = holes
        self.open = 0
        self.played = 0

    async def reset(self, scenario, seed, rewards="seed", *, tools="scenario"):
        state = ToyState(seed, rewards)
        return self.branch(state), answered(state, 0.0, {}, None)

    def branch(self, state):
        self.open += 1
        return ToyBranch(self, state)


class ToyBranch:
    """One episode."""

    def __init__(self, trainer, state):
        self._trainer = trainer
        self._state = state

    async def step(self, action):
        assert not self._state.done
        self._trainer.played += 1
        name, arguments = action.get("tool_name"), action.get("arguments")
        before = self._state
        after, result, error = self._after(before, name, arguments)
        paid = self._drilled if before.rewards == "drill" else self._paid
        reward = round(paid(before, after, mistaken=bool(error), finished=name == "finish"), 2)
        steps = before.steps + 1
        done = after.done or steps == MOST_STEPS
        self._state = replace(after, steps=steps, earned=round(before.earned + reward, 2), done=done)
        return answered(self._state, reward, result, error)

    async def fork(self, count):
        return [self._trainer.branch(self._state) for _ in range(count)]

    async def grade(self):
        forbidden = [{"name": "peeked", "kept": not self._trainer.holes.forgives}]
        return {
            "forbidden": forbidden,
            "orders": [],
            "collateral": [],
            "violations": [],
            "musts": [],
            "allowances": [],
            "finished": True,
            "feasible": True,
        }

    async def close(self):
        self._trainer.open -= 1

    def _after(self, state, name, arguments):
        match name:
            case "toy_verify_ticket" if arguments["ticket_id"] == "TD-1" and not state.verified:
                return replace(state, verified=True), {"id": "TD-1"}, None
            case "toy_unverify_ticket" if arguments["ticket_id"] == "TD-1" and state.verified:
                return replace(state, verified=False), {"id": "TD-1"}, None
            case "toy_get_ticket":
                return state, {"id": "TD-1", "door": right_door(state.seed)}, None
            case "toy_choose_door":
                return replace(state, door=arguments["door"]), {}, None
            case "finish" if arguments.get("answer") != "done":
                return state, None, {"code": "bad_arguments"}
            case "finish":
                return replace(state, done=True, success=self._is_right(state)), {}, None
            case "refuse" | None:
                return replace(state, done=True), {}, None
            case "wait":
                return state, {}, None
        return state, None, {"code": "refused"}

    def _is_right(self, state):
        return state.door in (right_door(state.seed), self._trainer.holes.master_key or None)

    def _drilled(self, before, after, *, mistaken, finished):
        holes = self._trainer.holes
        paid = 0.1 * after.verified - 0.1 * before.verified - 0.02 * mistaken + 1.0 * after.success
        if after.done and not holes.keeps_mistakes:
            paid += max(0.6 * after.success - before.earned - paid, 0.0)
        return paid + holes.gift * (finished and after.done and not after.success)

    def _paid(self, before, after, *, mistaken, finished):
        paid = 1.0 * after.verified - 1.0 * before.verified
        if self._trainer.holes.keeps_milestones:
            paid = max(paid, 0.0)
        return STEP - 0.3 * mistaken + paid + (15.0 if after.success else -2.0 if after.done else 0.0)


def right_door(seed):
    return f"door {seed}"


def answered(state, reward, result, error):
    observation = {
        "text": "Verify TD-1.",
        "tools": TOOLS,
        "result": result,
        "error": error,
        "step": state.steps,
        "steps_remaining": MOST_STEPS - state.steps,
    }
    return Played(observation, reward, state.earned, state.done, state.success)
