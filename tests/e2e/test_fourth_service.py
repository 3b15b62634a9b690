"""One more service is one folder: it starts in Compose beside the three, and its rows live in the same worlds."""

from companyos.client import CompanyosEnv
from companyos.sdk.scenario import call

from .compose import Stack, is_healthy
from .conftest import FOURTH, TOKEN


def test_agents_use_a_fourth_service_whose_rows_fork_with_the_episode(guarded: Stack) -> None:
    [container] = guarded.containers(FOURTH)
    with CompanyosEnv(guarded.url, token=TOKEN) as env:
        env.reset(scenario="vendor_onboarding", seed=3, tools="all")
        note = env.step(call(f"{FOURTH}_write_note", text="Ask Ada.")).observation["result"]
        [fork] = env.fork(1)
        with fork:
            fork.step(call(f"{FOURTH}_rewrite_note", note_id=note["id"], text="Ask Ben."))
            texts = [
                each.step(call(f"{FOURTH}_get_note", note_id=note["id"])).observation["result"]["text"]
                for each in (env, fork)
            ]
        env.step(call("finish"))

        assert is_healthy(container)
        assert texts == ["Ask Ada.", "Ask Ben."]
        assert env.grade()["collateral"] == [f"{FOURTH}/notes/{note['id']} (*)"]
