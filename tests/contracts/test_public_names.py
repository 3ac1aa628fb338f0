"""Public names exist and are exactly those of the API pages."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import isfunction
from pathlib import Path

import pytest

import r5
from tests.helpers.documentation import PAGES, ROOT
from tools.reference import API

STUB = Path(r5.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
ENTRY_POINT_GROUPS = {"formats", "rule_formats", "engines"}
"""Last parts of the names of entry-point groups, which look like public names."""
EXPORTED = re.findall(r"^from (\S+) import (\w+) as (\w+)$", STUB, re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def test_all_public_names_exist() -> None:
    assert sorted(name for _, _, name in EXPORTED) == r5.__all__
    assert all(getattr(r5, name) is not None for name in r5.__all__)
    assert set(r5.__all__) < set(dir(r5))
    with pytest.raises(AttributeError, match="nothing"):
        _ = r5.nothing


def test_the_pages_of_the_api_list_exactly_the_public_names() -> None:
    documented = [(module, name) for modules in API.values() for module, names in modules.items() for name in names]
    assert sorted(documented) == sorted((module, name) for module, name, _ in EXPORTED)


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, name, _ in EXPORTED])
def test_public_names_have_docstrings(module: str, name: str) -> None:
    home = import_module(module)
    assert name in home.__all__
    exported = getattr(home, name)
    if isinstance(exported, type) or isfunction(exported):  # and not the name of a type
        assert exported.__doc__
        assert not exported.__doc__.startswith(f"{name}(")  # what a dataclass has where nobody wrote anything


@pytest.mark.parametrize("page", PAGES)
def test_pages_mention_public_names_only(page: str) -> None:
    """`r5.name` is a public name, or a module that is spoken of as such; examples import from `r5` alone."""
    text = text_of(page)
    mentioned = set(re.findall(r"(?<![\w./-])r5\.([A-Za-z]\w*)(?!\w*\.\w*\()", text))
    modules = {name for name in mentioned - set(r5.__all__) if is_module(f"r5.{name}")}
    assert mentioned - modules - set(r5.__all__) - ENTRY_POINT_GROUPS == set()
    assert re.findall(r"^from r5\.\S+ import .*", text, re.MULTILINE) == []


def is_module(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError:
        return False
    return True
