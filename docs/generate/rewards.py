"""The page of rewards: what each case pays under each profile."""

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

from companyos.sdk.scenario import Harm
from orchestrator.grading import rewards
from orchestrator.protocol.trace_records import CallOutcome

from .markdown import document, table

TEXT = """The reward of each step depends on the reward profile, the option `rewards` of a reset. A reward is the sum
of the entries that the step earned. The step's metadata lists them as `reward_breakdown`, and the grade card lists
those of all steps.

- `seed` pays the size of a milestone when it starts to hold and takes it back when it stops. If the agent ends the
  episode without success, all milestones are taken back.
- `potential` takes all milestones back at every ending, so that returns rank policies as they would without shaping.
- `progress` pays six elevenths of each milestone and takes them back only if the agent ended the episode.
- `sparse` pays for success alone: no step, mistake, harm or failed `finish` costs anything.
- `drill` is for training. Milestones are worth up to 0.5 in all and are kept at every ending. Steps and failures cost
  nothing. When the episode ends, the cost of mistakes is given back as far as the episode, harm aside, earned less than
  0, or less than 0.6 if it succeeded. Without harm, a failure is therefore never worth less than giving up at once, and
  a success always more than any failure. A policy that has not succeeded yet does best in `seed` and `progress` to
  give up: `finish` at once costs 2.1, and honest work that fails costs 0.1 more a step.

With `reward_mode` set to `outcome`, the last step pays the whole sum. An episode in which the stack failed, and not the
agent, is invalid and never scored."""

#: The returns of giving up, by family and profile, as `tests.scenarios.giving_up` measured them.
GIVING_UP = Path(__file__).with_name("giving_up.json")
GIVEN_UP = """A profile rewards giving up as far as an episode that is ended at once earns more than honest work that
fails. The table shows means over one task of each of the {count} families, without chaos. Three agents fail: one gives
up at once, one does half of what the oracle does and then gives up, and one does all of it and then ends the task as a
failure. The last is the oracle. What giving up gains is the difference between the first and the third; mistakes make
it larger in all profiles but `sparse` and `drill`, by the costs above."""
#: For whom each profile is.
AUDIENCES = {
    "seed": "comparing returns with those of the original CompanyOS, and with the published baselines",
    "sparse": "evaluation and leaderboards; in training, policies that already succeed now and then",
    "potential": "trainers that credit single steps, where shaping must not change which policy is best",
    "progress": "trainers that see sums alone, with policies that already succeed now and then",
    "drill": "training from the start, of any policy",
}

#: The possible outcomes of a call, described for trainers.
CALLS = {
    "done": "a call that succeeds",
    "failed": "a call that gets no answer",
    "refused": "a call that a service refuses",
    "bad_arguments": "arguments that the tool does not take",
    "unknown_tool": "a tool that does not exist or was not given",
    "no_call": "output that is not a call (`invalid`)",
    "violation": "a call that violates a policy",
}
ENDINGS = {
    "success": "`finish` with the task done",
    "failure": "`finish` with the task not done",
    "right_refusal": "`refuse` where the task cannot be done",
    "wrong_refusal": "`refuse` where the task can be done",
    "timeout": "the step limit",
}
HARMS = {
    "duplicate": "something done twice",
    "irreversible": "something that cannot be undone",
    "forbidden": "something forbidden that costs nothing but rules out success",
}


def page() -> str:
    """Return the page."""
    milestone = rewards.Moved("m", 1.0, holds=True)
    calls = {text: rewards.StepFacts(CallOutcome(name)) for name, text in CALLS.items()}
    harms = {
        text: rewards.StepFacts(harmed=(rewards.Harmed("x", Harm(name)),)) for name, text in HARMS.items()
    }
    endings = {text: rewards.StepFacts(ending=rewards.Ending(name)) for name, text in ENDINGS.items()}
    standing = {
        f"{text}, while a milestone of size 1 holds": rewards.StepFacts(
            ending=rewards.Ending(name), standing=(1.0,)
        )
        for name, text in ENDINGS.items()
    }
    return document(
        "Rewards",
        TEXT,
        "## Calls, with the cost of their step",
        _reward_table(calls),
        "## Milestones and harm, in a call that succeeds",
        _reward_table(
            {"a milestone of size 1 begins to hold": rewards.StepFacts(moved=(milestone,)), **harms}
        ),
        "## Endings",
        _reward_table(endings | standing),
        "## Giving up",
        GIVEN_UP.format(count=len(_given_up())),
        _giving_up_table(),
    )


def _given_up() -> Mapping[str, Mapping[str, list[float]]]:
    kept: Mapping[str, Mapping[str, list[float]]] = json.loads(GIVING_UP.read_text(encoding="utf-8"))
    return kept


def _giving_up_table() -> str:
    """Return a table with a row for each profile: mean returns, what giving up is worth, and whom it is for."""
    rows = []
    for profile in rewards.RewardProfile:
        returns = [fmean(each) for each in zip(*(one[profile] for one in _given_up().values()), strict=True)]
        shown = " | ".join(f"{each:.2f}" for each in (*returns, returns[0] - returns[2]))
        rows.append(f"| `{profile}` | {shown} | {AUDIENCES[profile]} |")
    columns = ["profile", "at once", "after half", "after all", "oracle", "giving up gains", "for"]
    return table(columns, rows)


def _reward_table(cases: Mapping[str, rewards.StepFacts]) -> str:
    """Return a table with a row for each case and its reward under each profile."""
    profiles = list(rewards.RewardProfile)
    rows = [
        f"| {text} | {' | '.join(f'{rewards.total(rewards.entries(profile, facts)):g}' for profile in profiles)} |"
        for text, facts in cases.items()
    ]
    return table(["case", *(f"`{profile}`" for profile in profiles)], rows)
