"""Tools over a memory that does as it is told."""

from collections.abc import Callable

import pytest

from scripted_memory import DECLARED, TURN, Script, ScriptedMemory
from wellkept.tools.tool import Tool
from wellkept.tools.toolset import toolset


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def tool(script: Script) -> Callable[[str], Tool]:
    tools = {each.name: each for each in toolset(ScriptedMemory(script), TURN, DECLARED)}
    return tools.__getitem__
