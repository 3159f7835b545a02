"""PostgreSQL's default text parser: a text in, its tokens out.

The parser tries: it follows one reading (a host name, say) and comes back to
the next one when that fails. Two things keep it linear where PostgreSQL is
not: a trial that failed once at a place is not run there again, and the end of
a comment is looked for once. Runs that need no trial (plain words, spaces,
plain numbers) are cut with one regular expression.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from wellkept.rules.lexical.classes import END, TESTS, kinds
from wellkept.rules.lexical.grammar import Rule, rules

# The same answers as the states give, where no trial could succeed.
_PLAIN: Final = re.compile(
    rb"(?P<asciiword>[A-Za-z]+)"
    rb"(?![0-9A-Za-z@\x80\x81]|[-._][0-9A-Za-z_\x80]|:/|/[0-9A-Za-z._~])"
    rb"|(?P<blank>(?:[^-+<&~/.0-9A-Za-z\x80]|[-+](?![0-9])|/(?![0-9A-Za-z._~]))"
    rb"[^-+<&/0-9A-Za-z\x80]*)"
    rb"|(?P<word>(?:[A-Za-z]+[\x80\x81]|\x80)[A-Za-z\x80\x81]*)"
    rb"(?![0-9A-Za-z\x80\x81]|-[0-9A-Za-z\x80])"
    rb"|(?P<uint>[0-9]+)(?![0-9A-Za-z@\x80\x81]|[-._][0-9A-Za-z_]|/[0-9A-Za-z._~])"
)
_URL_RUN: Final = re.compile(b"[" + re.escape(bytes(kind for kind in range(END) if TESTS["url"](kind))) + b"]+")
_OPAQUE: Final = {b"<script": True, b"<style": True, b"</script": False, b"</style": False}


class Token(NamedTuple):
    """A piece of a text: its type in PostgreSQL's words, and where it stands."""

    type: str
    start: int
    end: int


# Where to go on when the reading under way fails: the state, the place, the
# rule, and how much had been seen by then.
_Trial = tuple[int, int, int, int]
_SEEN: Final = 3
_BASE: Final = 0


class _Parser:
    def __init__(self, kind_of: bytes) -> None:
        self._kinds = kind_of
        self._rules = rules()
        self._state = _BASE
        self._at = 0
        self._start = 0
        self._ignored = False
        self._host_only = False
        self._inner = False
        self._open_comment = len(kind_of)
        self._hopeless: set[int] = set()

    def __iter__(self) -> Iterator[Token]:
        while (token := self._next()) is not None:
            yield token

    def _next(self) -> Token | None:
        if self._at >= len(self._kinds):
            return None
        if self._state == _BASE and not self._ignored and not self._host_only:
            plain = _PLAIN.match(self._kinds, self._at)
            if plain is not None:
                start, self._at = self._at, plain.end()
                return Token(plain.lastgroup or "", start, self._at)
        return self._read()

    def _read(self) -> Token | None:
        """Run the states until a token ends."""
        kind_of, size, table, hopeless = self._kinds, len(self._kinds), self._rules, self._hopeless
        self._start = at = self._at
        state, number = self._state, 0
        trials: list[_Trial] = []
        seen: list[int] = []
        while True:
            choice = table[state][kind_of[at] if at < size else END]
            verb, goal, _, question, also = choice[number]
            if question:
                moved = self._answer(question, at)
                if moved < at:
                    number += 1
                    continue
                at = moved
            if also == "script":
                self._note_opaque(at)
            if verb == "to":
                at += 1
                number = 0
                if goal != state:
                    state = goal
                    if trials:
                        place = at << 7 | state
                        if place in hopeless:
                            verb = "fail"
                        else:
                            seen.append(place)
            elif verb == "try":
                number += 1
                place = (at + 1) << 7 | goal
                if place not in hopeless:
                    trials.append((state, at, number, len(seen)))
                    state, at, number = goal, at + 1, 0
                    seen.append(place)
            elif verb == "keep":
                del seen[trials.pop()[_SEEN] :]
                state, at, number = goal, at + 1, 0
            elif verb == "join":
                state, at, number = trials.pop()[0], at + 1, 0
            elif verb == "again":
                if at >= size and goal == _BASE:
                    self._at = at
                    return None
                at = self._start if also == "rewind" else at
                state, number = goal, 0
            elif verb != "fail":
                return self._end(choice[number], at + (verb == "take"))
            if verb == "fail":
                state, at, number, mark = trials.pop()
                if not self._host_only:
                    hopeless.update(seen[mark:])
                del seen[mark:]

    def _end(self, rule: Rule, at: int) -> Token:
        token = Token(rule.token, self._start, at)
        self._state, self._at = rule.state, at
        if rule.also in ("rewind", "rehost"):
            self._at = self._start
            self._host_only = rule.also == "rehost"
        return token

    def _answer(self, question: str, at: int) -> int:
        """Return where to go on: `at`, or behind what was asked for; -1 is no."""
        if question == "ignored":
            return at if self._ignored else -1
        if question == "host-only":
            asked, self._host_only = self._host_only, False
            return at if asked else -1
        if question == "path":
            run = _URL_RUN.match(self._kinds, at)
            return run.end() if run else -1
        if question == "host":
            return self._host_end(at)
        if self._kinds[at : at + 1] == b"-" and at < self._open_comment:
            found = self._kinds.find(b"-->", at + 1)
            if found >= 0:
                return found + 3
            self._open_comment = at
        return -1

    def _host_end(self, at: int) -> int:
        # Inside an address only the host after the first "@" counts, so the
        # inner parser takes no address itself and this never nests.
        if self._inner:
            return -1
        inner = _Parser(self._kinds)
        inner._inner, inner._host_only, inner._at = True, True, at
        inner._open_comment = self._open_comment
        token = inner._next()
        return token.end if token is not None and token.type == "host" else -1

    def _note_opaque(self, at: int) -> None:
        name = self._kinds[self._start : min(at, self._start + 9)].lower()
        self._ignored = _OPAQUE.get(name, self._ignored)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, blanks included, as `ts_parse('default', text)` does."""
    return iter(_Parser(kinds(text)))
