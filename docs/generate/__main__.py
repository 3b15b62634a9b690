"""Writes every page, every block and what container files and the chart repeat: `python -m docs.generate`."""

from pathlib import Path
from shutil import copyfile

from . import blocks, pages, with_block
from .per_service import FILES, with_services

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
#: A chart reads no file beyond its folder, and a link out of it is refused where packages are checked.
WATCHED, CHARTED = ROOT / "deploy" / "monitoring", ROOT / "deploy" / "helm" / "companyos" / "files"


def main() -> None:
    """Write them all."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages().items():
        (REFERENCE / name).write_text(text, encoding="utf-8")
    for (page, name), text in blocks().items():
        path = ROOT / page
        path.write_text(with_block(path.read_text(encoding="utf-8"), name, text), encoding="utf-8")
    for name in FILES:
        path = ROOT / name
        path.write_text(with_services(path.read_text(encoding="utf-8")), encoding="utf-8")
    for name in ("alerts.yml", "dashboard.json"):
        copyfile(WATCHED / name, CHARTED / name)


if __name__ == "__main__":
    main()
