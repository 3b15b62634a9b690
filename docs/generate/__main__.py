"""Writes every page and every block: `python -m docs.generate`."""

from pathlib import Path

from . import blocks, pages, with_block

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def main() -> None:
    """Write every page and every block."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    for (page, name), text in blocks().items():
        path = ROOT / page
        path.write_text(with_block(path.read_text(encoding="utf-8"), name, text), encoding="utf-8")


if __name__ == "__main__":
    main()
