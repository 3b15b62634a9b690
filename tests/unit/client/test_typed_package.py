"""The package is typed for its users, as its classifier says."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

PROGRAM = """
from companyos import CompanyosEnv
from companyos.client import Result

env = CompanyosEnv("http://127.0.0.1:8000")
reveal_type(env.reset(seed=1))
reveal_type(env.state)
"""


def test_a_users_type_checker_reads_our_types(tmp_path: Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(PROGRAM)

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", program.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    revealed = re.findall(r'Revealed type is "(.*)"', checked.stdout)
    assert (files("companyos") / "py.typed").is_file()
    assert len(revealed) == 2, checked.stdout
    assert "Result" in revealed[0]
    assert not any(each == "Any" for each in revealed)
