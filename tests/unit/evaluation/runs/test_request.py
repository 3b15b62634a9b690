"""What a run plays, in which order, and under which names."""

from dataclasses import replace

from companyos.evaluation.runs import AgentSpec, EpisodeTask, RunRequest

from .samples import REQUEST

PROFILE = {"preset": "storm", "only": ["service"]}


def test_every_combination_is_played_once_and_an_instance_repeated_at_once() -> None:
    tasks = list(replace(REQUEST, repeats=2).tasks())

    assert len(tasks) == len({task.key for task in tasks}) == 2 * 2 * 2 * 2
    assert [task.key for task in tasks[:3]] == [
        "vendor_onboarding-c0-s0-r0",
        "vendor_onboarding-c0-s0-r1",
        "vendor_onboarding-c0-s1-r0",
    ]


def test_a_profile_goes_by_its_digest() -> None:
    task = EpisodeTask("one", 3, PROFILE, 0)

    assert task.key.startswith("one-ccustom-")
    assert task.key != EpisodeTask("one", 3, {**PROFILE, "only": ["event"]}, 0).key
    assert EpisodeTask("one", 3, "storm", 0).key == "one-cstorm-s3-r0"


def test_an_episode_is_reset_with_what_was_asked_for() -> None:
    task = next(iter(REQUEST.tasks()))

    assert REQUEST.reset_options(task) == {
        "scenario": "vendor_onboarding",
        "seed": 0,
        "chaos": 0,
        "rewards": "seed",
        "tools": "scenario",
    }
    assert replace(REQUEST, guidance="none", tools=("wait",)).reset_options(task) == {
        **REQUEST.reset_options(task),
        "guidance": "none",
        "tools": ["wait"],
    }
    assert replace(REQUEST, size=5000).reset_options(task) == {**REQUEST.reset_options(task), "size": 5000}
    assert replace(REQUEST, tools_format="signatures").reset_options(task) == {
        **REQUEST.reset_options(task),
        "tools_format": "signatures",
    }
    assert REQUEST.reset_options(replace(task, max_steps=9)) == {
        **REQUEST.reset_options(task),
        "max_steps": 9,
    }


def test_requests_differ_in_what_decides_the_episodes() -> None:
    assert REQUEST.differences(replace(REQUEST, concurrency=1)) == []
    assert REQUEST.differences(replace(REQUEST, size="large")) == ["size"]
    louder, hotter = AgentSpec("openai", "m", {"a": 1}), AgentSpec("openai", "m", {"a": 2, "b": 3})
    asked = replace(REQUEST, agent=louder)
    assert asked.differences(replace(REQUEST, agent=hotter)) == ["agent (a, b)"]
    assert asked.differences(REQUEST) == ["agent"]


def test_the_variable_of_the_key_and_the_patience_with_an_endpoint_decide_nothing() -> None:
    def keyed(variable: str) -> RunRequest:
        waits = {"max_wait_s": 9.0} if variable == "MY_KEY" else {}
        settings = {"model": "m", "api_key_variable": variable, **waits}
        return replace(REQUEST, agent=AgentSpec("openai", "m", settings))

    assert keyed("WRONG_KEY").differences(keyed("MY_KEY")) == []
    assert keyed("WRONG_KEY").decisive() == keyed("MY_KEY").decisive()
    assert REQUEST.differences(replace(REQUEST, rewards="sparse", seeds=(1, 0))) == ["rewards", "seeds"]
