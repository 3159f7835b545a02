"""`blocks edit`, and the other block commands on a folder of Markdown files."""

import stat
import sys
from pathlib import Path

import pytest

from command_line import say

AT = ("USER", "--owner", "sam")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "memories"
    monkeypatch.setenv("WELLKEPT_STORE", f"files://{folder}")
    return folder


def edit_with(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the editor be a program: `path` is the file that it edits."""
    program = tmp_path / "an editor.py"
    program.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{script}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} '{program}'")


def stored(root: Path) -> Path:
    return next(root.rglob("USER*.md"))


def test_a_block_is_edited(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit_with("path.write_bytes(path.read_bytes() + b'likes tea\\r\\n')", tmp_path, monkeypatch)
    assert say("blocks", "edit", *AT).code == 0
    assert say("blocks", "edit", *AT, "--json").json["changed"] is True
    assert say("blocks", "show", *AT).out == "likes tea\r\nlikes tea\r\n"


def test_nothing_is_written_when_nothing_was_changed(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit_with("assert path.stat().st_mode & 0o077 == 0", tmp_path, monkeypatch)
    said = say("blocks", "edit", *AT)
    assert (said.code, said.out) == (0, "")
    assert not root.exists()


def test_a_change_meanwhile_is_not_lost_and_neither_is_the_text(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say("blocks", "set", *AT, "--text", "one")
    file = stored(root)
    edit_with(f"pathlib.Path({str(file)!r}).write_text('by hand')\npath.write_text('mine')", tmp_path, monkeypatch)
    said = say("blocks", "edit", *AT)
    assert said.code == 4
    assert "The text changed since it was read" in said.err
    assert say("blocks", "show", *AT).out == "by hand"
    kept = Path(next(word for word in said.err.split() if word.endswith(".md")))
    assert kept.read_text() == "mine"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    kept.unlink()
    in_json = say("blocks", "edit", *AT, "--json")
    assert in_json.code == 0  # what is stored is what it was read as: the same editor, the same hand
    say("blocks", "set", *AT, "--text", "again")
    kept = Path(say("blocks", "edit", *AT, "--json").problem["details"]["facts"]["kept"])
    assert kept.read_text() == "mine"
    kept.unlink()


def test_a_text_that_is_refused_is_kept(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit_with("path.write_text('too long')", tmp_path, monkeypatch)
    said = say("blocks", "edit", *AT, "--limit", "3", "--json")
    assert said.code == 5
    kept = Path(said.problem["details"]["facts"]["kept"])
    assert kept.read_text() == "too long"
    kept.unlink()


@pytest.mark.parametrize("script", ["sys.exit(1)", "path.write_bytes(b'\\xff')"])
def test_an_editor_that_fails_changes_nothing(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    edit_with(script, tmp_path, monkeypatch)
    assert say("blocks", "edit", *AT).code == 2
    assert not root.exists()


def test_an_editor_that_is_not_there(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor")
    said = say("blocks", "edit", *AT)
    assert said.code == 2
    assert "EDITOR" in said.err


def test_doctor_reports_what_is_foreign_in_the_folder(root: Path) -> None:
    say("blocks", "set", *AT, "--text", "one")
    assert say("doctor").code == 0
    (root / "shopping.txt").write_text("eggs")
    said = say("doctor")
    assert said.code == 1
    assert "shopping.txt" in said.out
