"""Sends what a line of curl would send: a fresh machine may have no curl. An option that is not known here fails."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

import httpx2


@dataclass
class Curl:
    """One line of curl, read."""

    url: str = ""
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: str | None = None
    query: list[str] = field(default_factory=list)
    shows_head: bool = False

    def send(self, base_url: str) -> str:
        """Send it to the server at `base_url`, whatever host the line names; give what curl would print."""
        asked = urlsplit(self.url)
        query = "&".join(part for part in (asked.query, *self.query) if part)
        address = f"{base_url}{asked.path}" + (f"?{query}" if query else "")
        method = self.method or ("GET" if self.data is None else "POST")
        headers = self.headers
        if self.data is not None and not any(name.lower() == "content-type" for name, _ in headers):
            headers = [*headers, ("Content-Type", "application/x-www-form-urlencoded")]  # as curl does
        answer = httpx2.request(
            method, address, headers=headers, content=None if self.data is None else self.data.encode(), timeout=60
        )
        if not self.shows_head:
            return answer.text
        head = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
        return f"HTTP/1.1 {answer.status_code} {answer.reason_phrase}\n{head}\n\n{answer.text}"


def read(words: Sequence[str]) -> Curl:
    """Read the words after `curl`."""
    line, given = Curl(), iter(words)
    gets = False
    encoded: list[str] = []
    for word in given:
        match word:
            case "-s" | "--silent" | "-N" | "--no-buffer":
                pass
            case "-i" | "--include":
                line.shows_head = True
            case "-G" | "--get":
                gets = True
            case "-X" | "--request":
                line.method = next(given)
            case "-H" | "--header":
                name, colon, value = next(given).partition(":")
                assert colon, f"no header: {name}"
                line.headers.append((name, value.strip()))
            case "-d" | "--data":
                line.data = next(given)
            case "--data-urlencode":
                name, equals, value = next(given).partition("=")
                assert equals, f"no parameter: {name}"
                encoded.append(f"{name}={quote(value, safe='')}")
            case _:
                assert not word.startswith("-"), f"an option of curl that the tests do not know: {word}"
                assert not line.url, f"two addresses: {line.url} and {word}"
                line.url = word
    assert line.url.startswith("http://127.0.0.1:8787/"), f"examples speak to http://127.0.0.1:8787, not {line.url}"
    assert gets or not encoded, "--data-urlencode is known with -G alone"
    line.query = encoded
    return line
