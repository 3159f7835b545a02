"""Compares what a page shows with what came out.

`…` stands for anything; how wide a gap between words is does not matter. JSON is compared as values: whoever shows it
may lay it out, a string may hold `…`, and an object or a list that goes on ends in `"…"`.
"""

import json
import re
from typing import Any

ANYTHING = "…"


def differs(shown: str, came: str) -> str:
    """Say how they differ; "" when they do not."""
    wanted = _json(shown)
    if wanted is not None:
        found = _json(came)
        if found is None:
            return f"not JSON: {came}"
        return _values(wanted, found, "$")
    if _fits(_even(shown), _even(came)):
        return ""
    return f"shown:\n{shown}\ncame:\n{came}"


def _json(text: str) -> Any:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _even(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.strip().splitlines())


def _fits(pattern: str, text: str) -> bool:
    parts = map(re.escape, pattern.split(ANYTHING))
    return re.fullmatch(".*?".join(parts), text, re.DOTALL) is not None


def _values(wanted: Any, found: Any, where: str) -> str:
    match wanted:
        case dict() if isinstance(found, dict):
            named = {name: value for name, value in wanted.items() if name != ANYTHING}
            if missing := named.keys() - found.keys():
                return f"{where}: {sorted(missing)} did not come"
            if ANYTHING not in wanted and (more := found.keys() - named.keys()):
                return f"{where}: {sorted(more)} came too"
            return next(filter(None, (_values(named[name], found[name], f"{where}.{name}") for name in named)), "")
        case list() if isinstance(found, list):
            goes_on = bool(wanted) and wanted[-1] == ANYTHING
            first = wanted[:-1] if goes_on else wanted
            if len(found) < len(first) or (not goes_on and len(found) > len(first)):
                return f"{where}: {len(first)} shown, {len(found)} came"
            parts = (
                _values(one, other, f"{where}[{at}]") for at, (one, other) in enumerate(zip(first, found, strict=False))
            )
            return next(filter(None, parts), "")
        case str() if wanted == ANYTHING or (isinstance(found, str) and _fits(wanted, found)):
            return ""
        case _ if type(wanted) is type(found) and wanted == found:
            return ""
    return f"{where}: shown {wanted!r}, came {found!r}"
