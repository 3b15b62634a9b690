"""Makes the pictures of the README: one step of an episode in the viewer, light and dark. Run by `make picture`."""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.runs import read_run
from tests.result_pages import Results, companyos, viewer

from .conftest import PROGRAMS, launch_arguments

OUT: Final = Path(__file__).parents[2] / "docs" / "explanation"
SCENARIO: Final = "vendor_onboarding"
#: The step that is shown: the one that submits the request.
TOOL: Final = "approvalflow_submit_approval"
WIDTH: Final = 1180
#: Shortens the long text that the agent read, and makes the window as high as the page.
SHORTEN: Final = """() => {
  for (const text of document.querySelectorAll("pre.read")) text.style.maxHeight = "9.4em";
  return document.querySelector("main").scrollHeight + 100;
}"""


def main() -> None:
    """Play the episode, open the step in Chromium, and write both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        results = played(Path(folder))
        with viewer(results) as url:
            photograph(f"{url}/{step_address(results)}")


def played(folder: Path) -> Results:
    """Play seed 0 with an agent that ignores messages, on a stack that is gone afterwards."""
    home, out = Home.at(folder / "home"), folder / "ignores_messages"
    chosen = (SCENARIO, "--seeds", "0-0", "--chaos", "2")
    with running_stack(home) as stack:
        companyos(home, "run", "--agent", "ignores_messages", *chosen, "--out", str(out))
        return Results(stack, home, {"ignores_messages": out})


def step_address(results: Results) -> str:
    """Return where the viewer shows the step."""
    run = read_run(results.runs["ignores_messages"])
    key = run.episodes[0].key
    step = next(each["step"] for each in run.trace(key)[1:] if each["action"].get("tool_name") == TOOL)
    return f"runs/ignores_messages/{key}/{step}"


def photograph(address: str) -> None:
    """Write a picture of a page in each color scheme."""
    program = next(filter(None, map(shutil.which, PROGRAMS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=launch_arguments())
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)
            page.goto(address)
            page.set_viewport_size({"width": WIDTH, "height": page.evaluate(SHORTEN)})
            page.screenshot(path=OUT / f"step-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
