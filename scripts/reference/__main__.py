"""Writes the reference pages that come from the code: one module a page, each with `page() -> str`."""

import sys
from pathlib import Path

import commands
import errors
import http_api
import limits
import python_api
import settings

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES = {
    "commands.md": commands.page,
    "errors.md": errors.page,
    "http-api.md": http_api.page,
    "limits.md": limits.page,
    "python-api.md": python_api.page,
    "settings.md": settings.page,
}


def main(arguments: list[str]) -> int:
    stale = []
    for name, page in PAGES.items():
        path, text = REFERENCE / name, page()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
    if stale:
        print("out of date:" if "--check" in arguments else "written:", *stale)
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
