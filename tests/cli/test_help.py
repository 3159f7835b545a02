"""Help: what fits on a terminal."""

import pytest
import typer.main

from command_line import say
from wellkept.cli import app

GROUPS = [name for name, command in typer.main.get_command(app).commands.items() if hasattr(command, "commands")]  # type: ignore[attr-defined]  # a click group, which typer does not say


@pytest.mark.parametrize("group", [None, *GROUPS])
def test_no_summary_is_cut(group: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = say(*([group] if group else []), "--help")
    assert said.code == 0
    _, _, summaries = said.out.partition("Commands:")
    assert summaries
    assert "..." not in summaries
