"""Hooks of mkdocs: add the generated pages to the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.pages import generated_pages
from tools.reference import API, api_path


def on_config(config: Any) -> Any:
    """Add the pages of the API to the navigation."""
    reference = next(part["Reference"] for part in config["nav"] if "Reference" in part)
    reference.append({"API": [{title: api_path(title)} for title in API]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages to the site."""
    for path, text in generated_pages().items():
        files.append(File.generated(config, path, content=text))
    return files
