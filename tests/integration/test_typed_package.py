"""A user's type checker reads the types of the installed package."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
from companyos import CompanyosEnv
with CompanyosEnv("http://localhost:8000") as env:
    result = env.reset(seed=7)
    while not result.done:
        result = env.step({"tool_name": "finish"})
reveal_type(env)
reveal_type(result)
reveal_type(result.observation.text)
reveal_type(result.reward)
reveal_type(env.state())
reveal_type(env.snapshot())
"""
TYPES = [
    "companyos.client.environment.CompanyosEnv",
    "companyos.client.records.Result",
    "str",
    "float | None",
    "companyos.client.records.Record",
    "str",
]


def test_a_users_five_lines_have_types_and_no_any(tmp_path: Path) -> None:
    installed = tmp_path / "venv"
    venv.create(installed, with_pip=False)
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*build, "--wheel-dir", str(tmp_path), str(ROOT)], check=True, timeout=300)
    [wheel] = tmp_path.glob("*.whl")
    [packages] = installed.glob("lib/python*/site-packages")
    zipfile.ZipFile(wheel).extractall(packages)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    check = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    checked = subprocess.run(
        [*check, "--python-executable", str(installed / "bin" / "python"), program],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )

    told = [line.partition("Revealed type is ")[2].strip('"') for line in checked.stdout.splitlines()]
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert [each.replace("builtins.", "") for each in told if each] == TYPES
