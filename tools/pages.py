"""Generated pages of the documentation."""

from __future__ import annotations

from pathlib import Path

from tools.gallery import gallery_page
from tools.json_schemas import schemas_page
from tools.notebook import notebook_page
from tools.reference import reference_pages

__all__ = ["generated_pages"]

_ROOT = Path(__file__).resolve().parents[1]


def generated_pages() -> dict[str, str]:
    """Return the text of each generated page, by its path in the documentation."""
    return {
        **reference_pages(),
        "reference/json-schemas.md": schemas_page(),
        "tutorials/notebook.md": notebook_page(_ROOT / "docs" / "tutorials" / "notebook.ipynb"),
        "examples.md": gallery_page(_ROOT / "examples"),
        "changelog.md": (_ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
    }
