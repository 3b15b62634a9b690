"""The browser's image and container: beside the product, and started by nobody who does not ask."""

import re

from tests.architecture.test_deploy import DOCKERFILE, SERVICES


def test_the_browser_is_no_part_of_the_product_and_nobody_must_start_it() -> None:
    [stage] = re.findall(
        r"^FROM python:3\.13-slim AS browser$(.*?)^FROM ", DOCKERFILE, re.MULTILINE | re.DOTALL
    )

    assert re.findall(r"apt-get install .* (\S+) \\\n", DOCKERFILE) == ["chromium-headless-shell"]
    assert "--no-install-recommends" in stage
    assert "\nUSER 10001:10001\n" in stage
    assert [name for name, service in SERVICES.items() if "profiles" in service] == ["browser"]
    assert [name for name, service in SERVICES.items() if "browser" in service.get("depends_on", ())] == []
