"""The folder of a training run: its curve as JSON lines, and the checkpoint from which an interrupted run goes on."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch

from .trackers import Track, installed_trackers, numbers_of

#: Shows a line of text to the person who runs the training.
Say = Callable[[str], None]


class RunFolder:
    """Keeps the curve and the checkpoint consistent: a line of the curve counts once a checkpoint knows it."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._trackers: list[Track] | None = None
        self._saved: int | None = None
        self._curve = path / "metrics.jsonl"
        self._checkpoint = path / "checkpoint.pt"

    def record(self, update: int, metrics: Mapping[str, Any]) -> None:
        """Append a line to the curve, and show it where curves are followed."""
        with self._curve.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"update": update, **metrics}) + "\n")
        if self._trackers is None:
            self._trackers = installed_trackers(self._path, self._saved)
        for track in self._trackers:
            track(update, numbers_of(metrics))

    def save(self, **parts: Any) -> None:
        """Replace the checkpoint; a process that dies meanwhile leaves the old one."""
        new = self._checkpoint.with_suffix(".new")
        torch.save({**parts, "curve_bytes": self._curve.stat().st_size}, new)
        os.replace(new, self._checkpoint)

    def load(self) -> dict[str, Any] | None:
        """Return the checkpoint; None at the beginning of a run."""
        if not self._checkpoint.exists():
            return None
        parts: dict[str, Any] = torch.load(self._checkpoint, weights_only=True)
        return parts

    def resume(self) -> dict[str, Any] | None:
        """Return the checkpoint as `load` does, and cut the curve where it was saved."""
        parts = self.load()
        if parts is None:
            self._curve.unlink(missing_ok=True)
        else:
            os.truncate(self._curve, parts["curve_bytes"])
            self._saved = parts["update"]
        return parts
