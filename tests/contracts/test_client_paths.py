"""The client reaches an episode whatever characters its id has."""

import pytest

from companyos import CompanyosEnv


@pytest.mark.parametrize("name", ["a b?c", "a#b", "a%2Fb", "Zürich/1"])
def test_an_episode_is_found_whatever_characters_its_id_has(url: str, name: str) -> None:
    with CompanyosEnv(url) as env:
        env.reset(scenario="vendor_onboarding", seed=7, episode_id=name, replace=True)

        with env.fork(1)[0] as branch:
            env.restore(env.snapshot())

            assert env.grade()["episode_id"] == name
            assert len(branch.trace()) == len(env.trace()) == 1
