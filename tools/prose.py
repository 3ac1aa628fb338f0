"""Prose check of README and documentation: sentence length and phrases to avoid.

    python -m tools.prose            # exit code 1 if a page fails

At most 5 % of the sentences of a page may have more than 35 words.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

__all__ = ["BANNED", "LONGEST", "MAX_SHARE", "check_page", "main", "sentences"]

LONGEST = 35
"""Number of words above which a sentence is long."""
MAX_SHARE = 0.05
"""Maximum share of long sentences on a page."""
BANNED = (
    r"no longer",
    r"in place of",
    r"so many",
    r"gives? way",
    r"come to twice",
    r"how usual",
    r"nobody says",
    r"stands? for so many",
    r"as many as there",
    r"who(?:ever)? asks",
    r"who(?:ever)? sees",
    r"who knows better",
    r"the one or the other",
    r"of the ones as of the others",
    r"no luck",
    r"simply",
    r"obviously",
    r"of course",
)
"""Patterns of phrases that readers stumble on, and of history, which belongs to the changelog."""
_ROOT = Path(__file__).resolve().parents[1]


def sentences(text: str) -> list[str]:
    r"""Return the sentences of a page, without code, tables, headings, comments and pictures.

    >>> sentences("# Title\n\nOne sentence. `a.b` is code.\n\n- An item\n\n| a | b |\n")
    ['One sentence.', 'X is code.', 'An item']
    """
    text = re.sub(r"^(```|~~~).*?^\1\s*$", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(#|\||    |!\[).*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        plain = " ".join(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", paragraph).split())
        found += [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z*])", plain) if re.search(r"\w", part)]
    return found


def check_page(text: str) -> list[str]:
    """Return the problems of a page; none if it passes."""
    found = sentences(text)
    long = [one for one in found if len(one.split()) > LONGEST]
    problems = []
    if len(long) > MAX_SHARE * len(found):
        problems += [f"{len(one.split())} words: {one}" for one in long]
    pattern = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.IGNORECASE)
    problems += [f"{match[0]!r} in: {one}" for one in found for match in pattern.finditer(one)]
    return problems


def main() -> int:
    """Check all pages."""
    failed = 0
    for page in [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]:
        for problem in check_page(page.read_text(encoding="utf-8")):
            failed += 1
            print(f"{page.relative_to(_ROOT).as_posix()}: {problem}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
