"""A notebook with its outputs as a page of Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["notebook_page"]


def notebook_page(path: Path) -> str:
    """Return the cells of a notebook and their outputs as Markdown."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = []
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for output in cell["outputs"]:
            lines += _output(output)
    return "\n".join(lines)


def _output(output: dict[str, Any]) -> list[str]:
    """Return one output: a picture or table if there is one, else its text."""
    data = output.get("data", {})
    if "text/html" in data:
        html = "".join(data["text/html"]).strip().replace("\n\n", "\n")
        return ['<div class="output" markdown="0">', html, "</div>", ""]
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return ["```text", text.rstrip(), "```", ""]
