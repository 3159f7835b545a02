"""The public names, with their signatures and what they promise."""

import inspect
import json
import re
from collections.abc import Callable, Iterator

import markdown
from msgspec import UNSET

import wellkept
from wellkept.client import resources
from wellkept.client.client import View
from wellkept.compose.open import OpenMemory, TurnMemory
from wellkept.model.receipts import Context, LeftOut, Piece, Receipt
from wellkept.runtime import events
from wellkept.tools.tool import Tool
from wellkept.wire.turns import MemoryChange, Usage

INTRODUCTION = """
Everything a program needs is a name of `wellkept`; importing it loads nothing else. What these give back stands below
under *What you get*. A name that begins with `_`, and a module's name that is not on this page, may change.
"""

RESOURCES = """
## Resources of the clients

A `Client` and an `AsyncClient` have the same methods; those of `AsyncClient` are awaited, and its iterators are
asynchronous. Most are routes of the [HTTP API](http-api.md), which has the types of their parameters. `iter` and
`iter_…` give the rows of all pages, and read a page when it is needed. `…` as a default: leave it as it is.
"""

RESULTS = [
    *(OpenMemory, TurnMemory, Tool, Context, Receipt, Piece, LeftOut),
    *(events.TurnResult, MemoryChange, Usage),
    *(events.TextDelta, events.ToolCall, events.ToolResult, events.MemoryChanged, events.Done),
]


def page() -> str:
    names = [f"- [`{name}`](#{name.lower()})" for name in wellkept.__all__]
    return markdown.page(
        "Python API",
        INTRODUCTION,
        "\n".join(names),
        *(entry(name, getattr(wellkept, name)) for name in wellkept.__all__),
        RESOURCES,
        *(of_resource(name) for name in resource_names()),
        "## What you get",
        *(entry(kind.__name__, kind, level=3) for kind in RESULTS),
    )


def entry(name: str, value: object, *, level: int = 2) -> str:
    parts = [f"{'#' * level} {name}", f"```\n{signature(name, value)}\n```", markdown.docstring(value)]
    if inspect.isclass(value):
        for member, door in doors(value):
            parts += [
                f"`{member}`" if not callable(door) else f"```\n{signature(member, door)}\n```",
                markdown.docstring(door),
            ]
    return "\n\n".join(part for part in parts if part)


def doors(kind: type) -> Iterator[tuple[str, object]]:
    """What a class adds of its own: methods and properties, those of our bases too."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("wellkept.") or issubclass(base, BaseException):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen or not inspect.getdoc(value):
                continue
            if inspect.isfunction(value) or isinstance(value, property):
                seen.add(name)
                yield name, value


def signature(name: str, value: object) -> str:
    """A signature as one reads it: in one line where it fits."""
    if isinstance(value, property):
        return name
    if not callable(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return f"{name}(**facts)"
    told = inspect.signature(value)
    own = [parameter for parameter in told.parameters.values() if parameter.name != "self"]
    parameters = [plain(str(parameter)) for parameter in own]
    first = next((at for at, parameter in enumerate(own) if parameter.kind is parameter.KEYWORD_ONLY), None)
    if first is not None:
        parameters.insert(first, "*")
    word = "async def " if inspect.iscoroutinefunction(value) else "def " if inspect.isfunction(value) else ""
    answers = inspect.isfunction(value) and told.return_annotation not in (told.empty, None)
    given = f" -> {plain(inspect.formatannotation(told.return_annotation))}" if answers else ""
    short = f"{word}{name}({', '.join(parameters)}){given}"
    if len(short) <= 100:
        return short
    return f"{word}{name}(\n" + "".join(f"    {parameter},\n" for parameter in parameters) + f"){given}"


def plain(text: str) -> str:
    """An annotation without modules and quotes, a default without what only Python says of it."""
    text = re.sub(r"Retries\(.*\)", "Retries()", text)
    text = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)
    text = re.sub(r"<[\w.]*AnyEtag object at 0x[0-9a-f]+>", "ANY", text)
    assert " at 0x" not in text, f"no two runs say the same: {text}"
    text = re.sub(r"\b(?:[a-z_]\w*\.)+([A-Za-z]\w*)", r"\1", text)
    text = re.sub(r"\bOptional\[(.*)\](?=$| =)", r"\1 | None", text)
    text = re.sub(r"(^|: )'([^'\[]*(?:\[[^']*\])?)'(?=$| =)", r"\1\2", text)  # an annotation that is a string
    return text.replace("'", '"')


def resource_names() -> list[str]:
    return list(View.__annotations__)


def of_resource(name: str) -> str:
    kind = getattr(resources, View.__annotations__[name].__name__)
    methods = [(method, door) for method, door in vars(kind).items() if callable(door) and not method.startswith("_")]
    lines = [f"- `{one_line(f'{name}.{method}', door)}`: {markdown.first_line(door)}" for method, door in methods]
    return f"### {name}\n\n{markdown.first_line(kind)}\n\n" + "\n".join(lines)


def one_line(name: str, door: Callable[..., object]) -> str:
    """A method without the types of its parameters, which its route in the HTTP API has."""
    told = inspect.signature(door)
    own = [parameter for parameter in told.parameters.values() if parameter.name != "self"]
    parameters = [
        parameter.name if parameter.default is parameter.empty else f"{parameter.name}={shown(parameter.default)}"
        for parameter in own
    ]
    first = next((at for at, parameter in enumerate(own) if parameter.kind is parameter.KEYWORD_ONLY), None)
    if first is not None:
        parameters.insert(first, "*")
    answer = plain(inspect.formatannotation(told.return_annotation))
    given = "" if answer == "NoneType" else f" -> {answer}"
    return f"{name}({', '.join(parameters)}){given}"


def shown(value: object) -> str:
    if value is UNSET:
        return "…"
    return json.dumps(value) if isinstance(value, str) else repr(value)
