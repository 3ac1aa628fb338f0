"""The site: generated reference pages are complete, links lead somewhere, pages are short and in plain sentences."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

import r5
from r5._util.settings import list_settings
from r5.cli.main import app
from r5.reasoners.registry import BASELINES, ENGINES, make_reasoner
from tests.helpers.documentation import PAGES, ROOT
from tools.method_figures import draw_figures
from tools.pages import generated_pages
from tools.prose import check_page
from tools.reference import API, api_pages, commands_page, settings_page

GENERATED = generated_pages()
COMMANDS = commands_page()
SETTINGS = settings_page()
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")


def commands() -> list[tuple[str, list[str]]]:
    """Every command that is not a group, with its options."""
    found = []
    groups = [("r5", typer.main.get_command(app))]
    while groups:
        words, command = groups.pop()
        parts = getattr(command, "commands", {})
        groups += [(f"{words} {name}", part) for name, part in parts.items()]
        if not parts:
            found.append((words, [name for one in command.params for name in (*one.opts, *one.secondary_opts)]))
    return found


@pytest.mark.parametrize(("words", "options"), commands(), ids=lambda value: value if isinstance(value, str) else "")
def test_commands_page_has_every_option(words: str, options: list[str]) -> None:
    section = COMMANDS.split(f"## {words}\n")[1].split("\n## ")[0]
    assert [name for name in options if name.startswith("-") and f"`{name}`" not in section] == []


@pytest.mark.parametrize("engine", [*ENGINES, *BASELINES])
def test_settings_page_has_every_setting(engine: str) -> None:
    section = SETTINGS.split(f"## {engine}\n")[1].split("\n## ")[0]
    other = re.search(r"The settings of \[(.+?)\]", section)
    table = SETTINGS.split(f"## {other[1]}\n")[1].split("\n## ")[0] if other else section
    assert [one.name for one in list_settings(make_reasoner(engine).settings) if f"`{one.name}`" not in table] == []


def test_api_pages_have_every_public_name() -> None:
    shown = "\n".join(api_pages().values())
    assert sorted(re.findall(r"Public names: (.+)\.", shown)) == sorted(
        ", ".join(f"`r5.{name}`" for names in modules.values() for name in names) for modules in API.values()
    )
    assert sorted(name for modules in API.values() for names in modules.values() for name in names) == r5.__all__


def texts() -> dict[str, str]:
    """The text of each page of the site, by its path in docs, and of the README."""
    written = {page.removeprefix("docs/"): (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    return {**GENERATED, **written}


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as mkdocs makes them."""
    without_code = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    names = [re.sub(r"[`*]|\[(.+?)\]\(.+?\)", r"\1", name) for name in _HEADING.findall(without_code)]
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", name.lower()).strip()) for name in names}


@pytest.mark.parametrize("page", sorted(texts()))
def test_links_lead_to_pages_and_headings(page: str) -> None:
    pages = texts()
    home = Path("README.md" if page == "README.md" else f"docs/{page}").parent
    text = re.sub(r"```.*?```", "", pages[page], flags=re.DOTALL)
    broken = []
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or page == "changelog.md":
            continue
        target = (ROOT / home / path).resolve() if path else None
        name = page if target is None else target.relative_to(ROOT).as_posix().removeprefix("docs/")
        if name in pages:
            if anchor and not anchor.startswith("r5.") and anchor not in anchors(pages[name]):
                broken.append(link)
        elif target is None or not target.exists():
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_pages_are_in_the_navigation_and_not_too_long(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert page.removeprefix("docs/") in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    if "<!-- results:" not in text:
        assert len(text.splitlines()) <= 300


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_in_plain_sentences(page: str) -> None:
    assert check_page((ROOT / page).read_text(encoding="utf-8")) == []


def test_the_prose_check_finds_long_sentences_and_history() -> None:
    assert len(check_page("One " + "word " * 40 + "end.")) == 1
    assert check_page("It is no longer slow.") != []
    assert check_page("It is fast.") == []


def test_pictures_have_alternative_texts() -> None:
    for page, text in texts().items():
        assert re.findall(r"!\[\s*\]\(", text) == [], page


def test_pictures_of_the_methods_are_those_of_the_script() -> None:
    for name, picture in draw_figures().items():
        assert (ROOT / "docs" / "assets" / name).read_text(encoding="utf-8") == picture
        assert f"../assets/{name}" in texts()[f"explanation/{name.partition('-')[0]}.md"]


def test_files_named_in_pages_and_links_outside_the_site_exist() -> None:
    missing = []
    for page in [ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *(ROOT / "benchmarks").glob("*.md")]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        links = [link.partition("#")[0] for link in _LINK.findall(text) if not re.match(r"[a-z]+:|#", link)]
        missing += [(page.name, link) for link in links if not (page.parent / link).exists()]
    for name, text in texts().items():
        files = [] if name == "changelog.md" else re.findall(r"`((?:benchmarks|experiments|examples)/[\w./-]+)`", text)
        missing += [(name, file) for file in files if not (ROOT / file).exists()]
    assert missing == []
