"""Reference pages of the documentation, generated from the program: commands, settings and the API.

`tools/site_hooks.py` adds them to the site; nothing of them is committed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import typer

from r5._util.settings import SettingInfo, list_settings
from r5.cli.main import app
from r5.reasoners.registry import BASELINES, ENGINES, make_reasoner

__all__ = ["API", "api_pages", "api_path", "commands_page", "reference_pages", "settings_page"]

API: dict[str, dict[str, list[str]]] = {
    "Load data": {"r5.data.registry": ["load", "formats", "register", "Format"]},
    "Dataset": {"r5.dataset": ["Dataset", "Summary"]},
    "Examples": {"r5.examples": ["Examples", "Example", "Query"]},
    "Graph": {"r5.graph": ["Graph"]},
    "Vocabulary": {"r5.relations": ["Vocabulary"]},
    "DatasetBuilder": {"r5.data.builder": ["DatasetBuilder", "Row"]},
    "PathShards": {"r5.data.path_shards": ["PathShards"]},
    "Paths": {"r5.paths.search": ["find_paths", "PathSet"], "r5.paths.settings": ["PathSettings"]},
    "Reasoner": {"r5.reasoners.base": ["Reasoner", "Progress", "ProgressCallback"]},
    "GrammarReasoner": {"r5.reasoners.grammar": ["GrammarReasoner"], "r5.grammar.settings": ["GrammarSettings"]},
    "ChainReasoner": {"r5.reasoners.chains": ["ChainReasoner"], "r5.chains.settings": ["ChainSettings"]},
    "R5Reasoner": {"r5.reasoners.r5": ["R5Reasoner"], "r5.agent.settings": ["R5Settings"]},
    "BaselineReasoner": {
        "r5.reasoners.baseline": ["BaselineReasoner"],
        "r5.baselines.networks.settings": ["SequenceSettings", "GraphSettings", "StorySettings"],
    },
    "AugmentedReasoner": {
        "r5.reasoners.augmented": ["AugmentedReasoner"],
        "r5.reasoners.features": ["FeatureClassifier"],
    },
    "Load a model": {"r5.reasoners.registry": ["load_model"], "r5.storage.folder": ["ModelError"]},
    "Prediction": {"r5.derivations.derivation": ["Prediction", "Derivation", "Step", "Fact", "Suspicion"]},
    "Completion": {
        "r5.derivations.completion": ["Completion", "Reason", "AuditFinding"],
        "r5.derivations.similar_entity": ["SimilarEntity"],
        "r5.knowledge.contradictions": ["Duplicate"],
    },
    "Rule": {"r5.rules.rule": ["Rule"]},
    "RuleSet": {"r5.rules.ruleset": ["RuleSet"], "r5.rules.comparison": ["Comparison"]},
    "Rule files": {
        "r5.rules.formats.files": ["read_rules", "write_rules"],
        "r5.rules.formats.registry": ["RuleFormat"],
    },
    "Evaluate": {"r5.evaluation": ["evaluate", "Evaluation", "Part"]},
    "Rank": {"r5.ranking": ["rank", "Ranking"]},
    "Report": {"r5.report.writing": ["write_report"]},
    "Clusters": {"r5.parallel.factory": ["open_cluster"], "r5.parallel.cluster": ["Cluster"]},
    "Errors": {"r5.errors": ["R5Error", "DataError", "MissingExtraError", "ClusterLostError"]},
}
"""Title of each page of the API, with its modules and their public names."""

_OPTIONS = dict.fromkeys(("ChainReasoner", "GrammarReasoner"), ("    options:", "      inherited_members: true"))
"""Options of classes whose methods come from several modules."""
_FOLDER = "reference"


def reference_pages() -> dict[str, str]:
    """Return the text of each generated page, by its path in the documentation."""
    return {
        f"{_FOLDER}/commands.md": commands_page(),
        f"{_FOLDER}/settings.md": settings_page(),
        **api_pages(),
    }


def api_pages() -> dict[str, str]:
    """Return a page for each title of `API`."""
    pages = {}
    for title, modules in API.items():
        names = [name for members in modules.values() for name in members]
        lines = [f"# {title}", "", f"Public names: {', '.join(f'`r5.{name}`' for name in names)}.", ""]
        for module, members in modules.items():
            for name in members:
                lines += [f"::: {module}.{name}", *_OPTIONS.get(name, ()), ""]
        pages[api_path(title)] = "\n".join(lines)
    return pages


def api_path(title: str) -> str:
    """Return the path of a page of the API in the documentation.

    >>> api_path("Load data")
    'reference/api/load-data.md'
    """
    return f"{_FOLDER}/api/{title.lower().replace(' ', '-')}.md"


def commands_page() -> str:
    """Return the page of all commands: usage, description, example, arguments and options."""
    lines = [
        "# Commands",
        "",
        "All commands with their arguments and options, as `--help` prints them. "
        "[Use the command line](../how-to/command-line.md) shows how they work together.",
        "",
        "Results are printed on standard output, logs and progress on standard error. "
        'Exit code 0: success. 1: a negative result, such as "cannot say". 2: wrong arguments or bad input. '
        "130: interrupted.",
        "",
    ]
    for words, command in _commands(typer.main.get_command(app), ("r5",)):
        lines += [f"## {' '.join(words)}", "", *_description(command.help or ""), ""]
        rows = [_row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]
        lines += ["| argument or option | default | meaning |", "| --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command that is not a group, with its words."""
    parts = getattr(command, "commands", {})
    if not parts:
        yield words, command
    for name, part in parts.items():
        yield from _commands(part, (*words, name))


def _description(text: str) -> list[str]:
    """Return the paragraphs of a help text, examples as code."""
    lines = []
    for paragraph in text.split("\n\n"):
        one = " ".join(paragraph.split())
        if one.startswith("Example:"):
            lines += ["Example:" + "".join(f" `{part.strip()}`" for part in one.split("Example:")[1:]), ""]
        else:
            lines += [_escaped(one), ""]
    return lines[:-1]


def _row(parameter: Any) -> str:
    """Return a row of the table of arguments and options."""
    if parameter.param_type_name == "argument":
        name = f"`{(parameter.metavar or parameter.name).upper()}`"
    else:
        name = ", ".join(f"`{one}`" for one in (*parameter.opts, *parameter.secondary_opts))
        if parameter.metavar:
            name += f" `{parameter.metavar}`"
    default = "required" if parameter.required else _default(parameter.default)
    return f"| {name} | {default} | {_escaped(parameter.help or '')} |"


def _default(value: Any) -> str:
    """Return a default as text; empty where there is none."""
    if value is None or value is False or value in ("", []) or callable(value):
        return ""
    return "`true`" if value is True else f"`{value}`"


def settings_page() -> str:
    """Return the page of the settings of every engine and baseline."""
    lines = [
        "# Settings",
        "",
        "Settings of every engine, as `r5 train --help-settings ENGINE` prints them. "
        "`--set NAME=VALUE` of `r5 train` and keyword arguments of the reasoner change them. "
        "One set of defaults serves all data.",
        "",
    ]
    shown: dict[tuple[tuple[str, str], ...], str] = {}
    for engine in (*ENGINES, *BASELINES):
        settings = list_settings(make_reasoner(engine).settings)
        key = tuple((one.name, one.sentence) for one in settings)
        lines += [f"## {engine}", ""]
        if key in shown:
            different = [one for one in settings if one.name != "method"]
            lines += [f"The settings of [{shown[key]}](#{shown[key]}).", ""]
            lines += _defaults_that_differ(different, shown[key])
            continue
        shown[key] = engine
        rows = [
            f"| `{one.name}` | {_setting_default(one)} | {_escaped(one.allowed)} | {_escaped(one.sentence)} |"
            for one in settings
        ]
        lines += ["| setting | default | allowed | meaning |", "| --- | --- | --- | --- |", *rows, ""]
    return "\n".join(lines)


def _defaults_that_differ(settings: list[SettingInfo], other: str) -> list[str]:
    """Return a sentence on the defaults that are not those of another engine."""
    base = {one.name: one.default for one in list_settings(make_reasoner(other).settings)}
    differ = [f"`{one.name}={_plain(one.default)}`" for one in settings if base[one.name] != one.default]
    return [f"Other defaults: {', '.join(differ)}.", ""] if differ else []


def _setting_default(setting: SettingInfo) -> str:
    return f"`{_plain(setting.default)}`"


def _plain(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _escaped(text: str) -> str:
    """Return text for a cell of a table or a paragraph of Markdown."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
