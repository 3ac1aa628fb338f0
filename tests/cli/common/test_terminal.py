"""Text on a terminal is broken between words and coloured; pipes and files get it as it is."""

from __future__ import annotations

import io
import os
import sys

import pytest

from r5.cli.common.terminal import colour_text, has_colour, terminal_width, text_for_terminal, wrap_lines

LONG = '  +0.500  visits(X, "Oak Library") <= has_read_author(X, "Martha Glover")   weight=0.5 support=4'


class Terminal(io.StringIO):
    """Stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make standard output a terminal of 60 columns with colours."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((60, 24)))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_pipe_gets_text_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert text_for_terminal(LONG) == LONG
    assert terminal_width() is None
    assert not has_colour()


def test_a_terminal_gets_lines_that_fit_and_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    use_terminal(monkeypatch)
    assert "\x1b[32m+0.500\x1b[0m" in text_for_terminal(LONG)
    monkeypatch.setenv("NO_COLOR", "1")
    lines = text_for_terminal(LONG).splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join("\n".join(lines).split()) == " ".join(LONG.split())


@pytest.mark.parametrize("name, value", [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_turned_off(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    use_terminal(monkeypatch)
    assert has_colour()
    monkeypatch.setenv(name, value)
    assert not has_colour()
    assert "\x1b" not in text_for_terminal(LONG)


def test_a_word_longer_than_the_terminal_is_not_broken() -> None:
    assert wrap_lines("a " + 70 * "b" + " c", 40).splitlines() == ["a", "  " + 70 * "b", "  c"]


def test_a_wrapped_line_of_a_tree_keeps_its_trunk() -> None:
    line = "│   ├── " + "word " * 12
    assert wrap_lines(line.rstrip(), 40).splitlines()[1].startswith("│   │     word")


def test_weights_relations_and_heads_have_colours() -> None:
    shown = colour_text("      -0.822  a -lives in-> b\nuncle(X, Y) <= mother(X, Z), brother(Z, Y)   p=1 support=3")
    assert shown == (
        "      \x1b[31m-0.822\x1b[0m  a -\x1b[36mlives in\x1b[0m-> b\n"
        "\x1b[1muncle\x1b[0m(X, Y) <= mother(X, Z), brother(Z, Y)   \x1b[2mp=1 support=3\x1b[0m"
    )


def test_wrapped_facts_and_figures_keep_their_colours() -> None:
    shown = colour_text("      Ann -likes->\n    coverage=1 pca=0.4")
    assert shown == "      Ann -\x1b[36mlikes\x1b[0m->\n    \x1b[2mcoverage=1 pca=0.4\x1b[0m"
