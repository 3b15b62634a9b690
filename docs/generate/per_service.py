"""The lines of the container files that each service needs, written from the template that stands above them."""

import re
from collections.abc import Sequence
from pathlib import Path

from companyos.embedded.server import service_names

ROOT = Path(__file__).parents[2]
FILES = ("docker-compose.yml", "deploy/stack.yml")
_FIRST_PORT = 8001
#: Lines of a template begin with `#| `, and `#| end` follows what is written from it.
_PATTERN = re.compile(r"((?: *#\| (?!end\n)[^\n]*\n)+).*?( *#\| end\n)", re.DOTALL)


def with_services(text: str, names: Sequence[str] | None = None) -> str:
    """Return a container file with every template written for each service, by default for those of this tree.

    A template that does not mention `{name}` is written once; `{urls}` are the services' names and addresses.
    """
    ports = {name: _FIRST_PORT + number for number, name in enumerate(names or service_names())}
    urls = ",".join(f"{name}=http://{name}:{port}" for name, port in ports.items())

    def write(found: re.Match[str]) -> str:
        template = re.sub(r"#\| ?", "", found[1])
        uses = [
            template.replace("{name}", name).replace("{NAME}", name.upper()).replace("{port}", str(port))
            for name, port in ports.items()
        ]
        written = uses if "{name}" in template else [template.replace("{urls}", urls)]
        gap = "\n" if template.count("\n") > 1 else ""
        return f"{found[1]}{gap.join(written)}{found[2]}"

    return _PATTERN.sub(write, text)
