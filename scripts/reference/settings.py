"""Every environment variable that is read."""

import inspect
import re

import markdown

from wellkept.compose import server_settings
from wellkept.compose import settings as library

INTRODUCTION = """
An argument goes before a variable, a variable before the default. A variable that is set to nothing is not set.
There is no configuration file. A value that cannot be one is refused at the start, with the variable's name.
"""


def page() -> str:
    return markdown.page(
        "Settings",
        INTRODUCTION,
        "## Of the library, the SDK and the command line\n\n" + markdown.table(["variable", "what"], of_library()),
        "## Of the server and the command line\n\n" + markdown.table(["variable", "default", "what"], of_server()),
        "The keys of models' providers (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, …) are read by their own packages.",
    )


def of_library() -> list[list[str]]:
    """A row for each function that reads the environment; its docstring says what it reads."""
    rows = []
    for name, function in inspect.getmembers(library, inspect.isfunction):
        told = markdown.first_line(function)
        variables = re.findall(r"`([A-Z_]+)`", told)
        if variables and not name.startswith("_"):
            said = told.removeprefix("Give ").rstrip(".")
            rows.append([", ".join(map(markdown.code, variables)), said[0].upper() + said[1:]])
    return rows


def of_server() -> list[list[str]]:
    rows = []
    for name, field in server_settings.Settings.model_fields.items():
        default = field.default
        if field.default_factory is not None:
            default = "sqlite:///…/wellkept.db in `WELLKEPT_HOME`"
        told = "" if default is None else server_settings.spelled(default)
        shown = told if not told or "`" in told else markdown.code(told)
        rows.append([markdown.code(f"WELLKEPT_{name.upper()}"), shown, field.description or ""])
    return rows
