"""Metadata of a release agree with each other."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

import r5
from tests.helpers.documentation import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = dict(
    line.lower().replace("_", "-").split("==")
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if "==" in line
)


def test_the_version_has_one_source() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/r5/__init__.py"
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[(.+?)\]", changelog, re.MULTILINE)[1] == r5.__version__  # type: ignore[index]
    assert "version" not in yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_citation_names_the_software_and_the_paper() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert cited["license"] == PROJECT["project"]["license"]
    (paper,) = cited["references"]
    assert (paper["year"], len(paper["authors"])) == (2022, 5)


def _within(version: str, limits: str) -> bool:
    def numbers(text: str) -> list[int]:
        return [int(part) for part in text.split(".")]

    compare = {">=": lambda a, b: a >= b, "<": lambda a, b: a < b}
    bounds = [re.fullmatch(r"(>=|<)([\d.]+)", one) for one in limits.split(",")]
    return all(one and compare[one[1]](numbers(version), numbers(one[2])) for one in bounds)


def test_tested_versions_are_within_the_ranges_for_users() -> None:
    project = PROJECT["project"]
    given = [*project["dependencies"], *(one for part in project["optional-dependencies"].values() for one in part)]
    for one in given:
        name, limits = re.fullmatch(r"([\w.-]+)(?:\[.*\])?(.*)", one).groups()  # type: ignore[union-attr]
        assert "==" not in limits, one
        if limits:
            assert _within(PINNED[name.lower().replace("_", "-")], limits), one


def test_each_python_of_the_classifiers_is_tested() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    flow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert named == ["3.11", "3.12", "3.13"]
    assert sorted(set(re.findall(r'"(3\.\d+)"', flow))) == named


def test_the_image_is_made_by_the_steps_that_ci_runs() -> None:
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    steps = (ROOT / ".ci" / "first-run").read_text(encoding="utf-8")
    assert re.findall(r"^RUN (.+)", image, re.MULTILINE) == [
        "sh /source/docker/install.sh /opt/r5 '/source[serve]' /source/constraints.txt",
        "useradd --create-home --uid 10001 r5 && mkdir /work && chown r5 /work",
    ]
    assert 'docker/install.sh" "$work/r5" "$source[serve]" "$source/constraints.txt"' in steps
    variables = re.findall(r"^(?:ENV|   ) +([A-Z_]+=\S+)", image, re.MULTILINE)
    assert set(variables) == {"NUMBA_CPU_NAME=generic", "PATH=/opt/r5/bin:$PATH", "PYTHONDONTWRITEBYTECODE=1"}
    assert "export NUMBA_CPU_NAME=generic" in steps
    assert "HEALTHCHECK" in steps
    assert ".ci/first-run" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    *_, user = re.findall(r"^USER (\w+)$", image, re.MULTILINE)
    assert user == "r5"


def test_the_source_distribution_has_all_of_the_repository() -> None:
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all((ROOT / name.removeprefix("/")).exists() for name in included)
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    listed = subprocess.run(
        [git, "ls-tree", "--name-only", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    # hatch adds the other two.
    assert {f"/{name}" for name in listed.stdout.split()} - set(included) == {"/.gitignore", "/pyproject.toml"}
