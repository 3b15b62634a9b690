"""Rows of the Task API under a curriculum sampler, as far as OpenEnv's RFC 013 says what one does (record 0108)."""

from __future__ import annotations

from collections import Counter

from companyos import CompanyosEnv
from companyos.client import Record, Result
from companyos.evaluation.agents import DoNothing, Oracle
from companyos.sdk.scenario import find

from .curriculum_sampler import CurriculumSampler

WINDOW, THRESHOLD = 2, 0.6
#: What a learner solves so far: tasks whose oracle needs no more steps.
MASTERED_STEPS = 48


def play(env: CompanyosEnv, row: Record) -> Result:
    """Play a row as a learner who masters short tasks, and gives up on the others."""
    result = env.reset(**row, rewards="drill", reward_mode="outcome", chaos=0)
    agent = Oracle(find(row.group)) if row.difficulty <= MASTERED_STEPS else DoNothing()
    agent.start(result.observation)
    while not result.done:
        result = env.step(agent.act(result.observation))
    return result


def test_a_sampler_leads_a_learner_to_the_border_of_what_it_masters(url: str) -> None:
    with CompanyosEnv(url) as env:
        sampler = CurriculumSampler(env.tasks("train", 0, 16), threshold=THRESHOLD, window=WINDOW, seed=1)
        played: Counter[int] = Counter()
        for _ in range(12):
            row = sampler.draw()
            last = play(env, row)
            reward = float(last.reward or 0.0)
            sampler.record(row, reward)
            played[row.difficulty] += 1

            assert (reward >= THRESHOLD) is last.metadata.success

    border = [tier for tier in sampler.tiers if tier <= MASTERED_STEPS][-1:]
    border += [tier for tier in sampler.tiers if tier > MASTERED_STEPS][:1]
    assert len(sampler.tiers) > 3
    assert sampler.tiers[sampler.tier] in border
    assert sum(played[tier] for tier in border) > 12 / 2


def test_a_sampler_moves_up_and_down_with_the_share_of_successes(url: str) -> None:
    with CompanyosEnv(url) as env:
        sampler = CurriculumSampler(env.tasks("train", 0, 16), threshold=THRESHOLD, window=WINDOW, seed=1)
    tiers = [0]
    for reward in (1.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.2):
        row = next(row for row in sampler.rows if row.difficulty == sampler.tiers[sampler.tier])
        sampler.record(row, reward)
        tiers.append(sampler.tier)

    assert tiers == [0, 0, 1, 1, 1, 1, 0, 0]
