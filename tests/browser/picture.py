"""Makes the pictures of the docs, light and dark: a step in the viewer, a page of the company; for `make picture`."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from companyos import CompanyosEnv
from companyos.client.pages.chromium import PROGRAMS
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home, Status
from companyos.evaluation.runs import read_run
from tests.result_pages import Results, companyos, viewer

from .conftest import launch_arguments

OUT: Final = Path(__file__).parents[2] / "docs" / "explanation"
SCENARIO: Final = "vendor_onboarding"
#: The step that is shown: the one that submits the request.
TOOL: Final = "approvalflow_submit_approval"
WIDTH: Final = 1180
LEAST_HEIGHT: Final = 460
#: Shortens the long text that the agent read, and makes the window as high as the page.
SHORTEN: Final = """() => {
  for (const text of document.querySelectorAll("pre.read")) text.style.maxHeight = "9.4em";
  return document.querySelector("main").scrollHeight + 100;
}"""


def main() -> None:
    """Play episodes, open the step and the page in Chromium, and write the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home.at(Path(folder) / "home")
        with running_stack(home) as stack:
            with CompanyosEnv(base_url=stack.url) as env:
                photograph("page", *ticket_page(env))
            results = played(home, stack, Path(folder) / "ignores_messages")
        with viewer(results) as url:
            photograph("step", f"{url}/{step_address(results)}")


def ticket_page(env: CompanyosEnv) -> tuple[str, str]:
    """Begin an episode; return where its agent enters the pages, and the page of the ticket that its task names."""
    brief = env.reset(scenario=SCENARIO, seed=6, chaos=0).observation.text
    ticket = re.search(r"TD-\d+", brief)
    assert ticket is not None
    web, token = env.agent_access["agent_urls"]["web"], env.agent_access["agent_token"]
    return f"{web}enter?token={token}", f"{web}ticketdesk_get_ticket?ticket_id={ticket[0]}"


def played(home: Home, stack: Status, out: Path) -> Results:
    """Play seed 0 with an agent that ignores messages."""
    chosen = (SCENARIO, "--seeds", "0-0", "--chaos", "2")
    companyos(home, "run", "--agent", "ignores_messages", *chosen, "--out", str(out))
    return Results(stack, home, {"ignores_messages": out})


def step_address(results: Results) -> str:
    """Return where the viewer shows the step."""
    run = read_run(results.runs["ignores_messages"])
    key = run.episodes[0].key
    step = next(each["step"] for each in run.trace(key)[1:] if each["action"].get("tool_name") == TOOL)
    return f"runs/ignores_messages/{key}/{step}"


def photograph(name: str, *addresses: str) -> None:
    """Write a picture of a page in each color scheme; the pages before the last one lead to it."""
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=launch_arguments())
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": WIDTH, "height": LEAST_HEIGHT}, color_scheme=scheme)
            for address in addresses:
                page.goto(address)
            page.set_viewport_size({"width": WIDTH, "height": page.evaluate(SHORTEN)})
            page.screenshot(path=OUT / f"{name}-{scheme}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
