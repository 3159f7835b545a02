"""The repository as a newcomer sees it: a tidy root, and nothing in it that belongs to one machine."""

import os
import re
import subprocess
import tomllib
from itertools import chain

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from sources import ROOT, place, tracked

ROOT_NAMES = {
    *(".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md", "constraints.txt"),
    *(
        "bench",
        "docs",
        "embedder_build",
        "examples",
        "faults",
        "histories",
        "pyproject.toml",
        "scripts",
        "search_equality",
        "src",
    ),
    *("tests", "trials"),
}
# Spelled in pieces, so that this file does not accuse itself.
HOSTS = ["pypi" + ".org", "files.python" + "hosted.org", "registry.npm" + "js.org", "deb.debian" + ".org"]
MACHINE_PATHS = re.compile(
    r"(?<![\w./~-])/(?:work/(?:main|shared)|opt/(?:pypi|wheels)|home/\w+/|Users/\w+/|root/\.\w+)"
)
# Samples of text that people may send hold whatever they hold.
SAMPLES = {".jsonl", ".json", ".png", ".svg"}


def test_the_root_is_tidy() -> None:
    assert not {path.relative_to(ROOT).parts[0] for path in tracked()} - ROOT_NAMES


def test_no_file_names_a_machine_or_a_registry() -> None:
    told = []
    for path in tracked():
        if path.suffix in SAMPLES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if any(host in line for host in HOSTS) or MACHINE_PATHS.search(line):
                told.append(f"{place(path, number)} {line.strip()[:100]}")
    assert not told


def test_scripts_can_be_run() -> None:
    scripts = [path for path in tracked() if path.parent == ROOT / "scripts" and not path.suffix]
    assert {"check", "fix", "serve", "test"} <= {path.name for path in scripts}
    assert not [place(path) for path in [*scripts, ROOT / ".ci" / "run"] if not os.access(path, os.X_OK)]


def pins() -> dict[str, Version]:
    """Say which version of each package this Python gets."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([a-z0-9-]+)==([^\s;]+)(?: ; ([^\\]+))?", text, re.M)
    return {name: Version(version) for name, version, when in found if not when or Marker(when.strip()).evaluate()}


def test_every_pin_has_a_hash() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]
    heads = [block.split("\\")[0].strip() for block in blocks]
    assert len(set(heads)) == len(heads)
    assert {head.partition("==")[0] for head in heads} >= set(pins())
    assert not [block for block in blocks if "--hash=sha256:" not in block]
    assert not re.search(r"://|@ |--(?:index|find|trusted|extra)", text)


def test_the_pins_are_those_of_the_project() -> None:
    """Whatever pyproject.toml asks for is pinned to a version that it accepts; else run scripts/lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *chain.from_iterable(project["project"]["optional-dependencies"].values()),
        *chain.from_iterable(project["dependency-groups"].values()),
    ]
    wanted = [Requirement(text) for text in asked]
    named = [want for want in wanted if want.name != "wellkept"]
    pinned = pins()
    assert not [str(want) for want in named if canonicalize_name(want.name) not in pinned]
    assert not [str(want) for want in named if pinned[canonicalize_name(want.name)] not in want.specifier]


def test_the_changelog_has_a_place_for_the_next_line() -> None:
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_what_is_shipped_is_not_ignored() -> None:
    """SQL, templates and the type marker are package data; hatchling leaves out what git ignores."""
    ignored = ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "src"]
    listed = subprocess.run(ignored, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    made_by_tools = re.compile(r"(?:^|/)(?:__pycache__|\.\w+)/")
    assert not [name for name in listed if not made_by_tools.search(name)]
