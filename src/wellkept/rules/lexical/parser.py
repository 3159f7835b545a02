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
from wellkept.rules.lexical.grammar import FAIL, Rule, rules

# The same answers as the states give, for the runs where no other rule applies.
_PLAIN: Final = re.compile(
    rb"(?P<asciiword>[A-Za-z]+)(?![-0-9A-Za-z._@:/\x80\x81])"
    rb"|(?P<blank>[^-+<&~/.0-9A-Za-z\x80][^-+<&/0-9A-Za-z\x80]*)"
    rb"|(?P<word>(?:[A-Za-z]+[\x80\x81]|\x80)[A-Za-z\x80\x81]*)(?![-0-9A-Za-z\x80\x81])"
    rb"|(?P<uint>[0-9]+)(?![-0-9A-Za-z._@/\x80\x81])"
)
_URL_RUN: Final = re.compile(
    b"[" + re.escape(bytes(kind for kind in range(END) if TESTS["url"](kind))) + b"]*"
)
_OPAQUE: Final = {b"<script": True, b"<style": True, b"</script": False, b"</style": False}


class Token(NamedTuple):
    """A piece of a text: its type in PostgreSQL's words, and where it stands."""

    type: str
    start: int
    end: int


class _Trial(NamedTuple):
    """Where to go on when the reading under way fails."""

    state: str
    at: int
    rule: int
    seen: int


class _Parser:
    def __init__(self, kind_of: bytes) -> None:
        self._kinds = kind_of
        self._rules = rules()
        self._state = "base"
        self._at = 0
        self._start = 0
        self._ignored = False
        self._host_only = False
        self._inner = False
        self._open_comment = len(kind_of)
        self._hopeless: set[tuple[str, int]] = set()

    def __iter__(self) -> Iterator[Token]:
        while (token := self._next()) is not None:
            yield token

    def _next(self) -> Token | None:
        if self._at >= len(self._kinds):
            return None
        if self._state == "base" and not self._ignored and not self._host_only:
            plain = _PLAIN.match(self._kinds, self._at)
            if plain is not None:
                start, self._at = self._at, plain.end()
                return Token(plain.lastgroup or "", start, self._at)
        return self._read()

    def _read(self) -> Token | None:
        """Run the states until a token ends."""
        size, table, hopeless = len(self._kinds), self._rules, self._hopeless
        self._start = at = self._at
        state, number = self._state, 0
        trials: list[_Trial] = []
        seen: list[tuple[str, int]] = []
        while True:
            if state == "base" and at >= size:
                self._at = at
                return None
            choice = table[state][self._kinds[at] if at < size else END]
            rule = choice[number]
            while rule.question and not self._answer(rule.question, at):
                number += 1
                rule = choice[number]
            at = self._moved(rule.question, at)
            verb = rule.verb
            if rule.also == "script":
                self._note_opaque(at)
            if verb == "to":
                at += 1
                if rule.state != state:
                    state = rule.state
                    if (state, at) in hopeless and trials:
                        rule, verb = FAIL, "fail"
                    elif trials:
                        seen.append((state, at))
                number = 0
            elif verb == "try":
                if (rule.state, at + 1) in hopeless:
                    number += 1
                    continue
                trials.append(_Trial(state, at, number + 1, len(seen)))
                state, at, number = rule.state, at + 1, 0
                seen.append((state, at))
            elif verb == "keep":
                del seen[trials.pop().seen :]
                state, at, number = rule.state, at + 1, 0
            elif verb == "join":
                state, at, number = trials.pop().state, at + 1, 0
            elif verb == "again":
                if rule.also == "rewind":
                    at = self._start
                state, number = rule.state, 0
            elif verb != "fail":
                return self._end(rule, at + (verb == "take"))
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

    def _answer(self, question: str, at: int) -> bool:
        if question == "ignored":
            return self._ignored
        if question == "host-only":
            asked, self._host_only = self._host_only, False
            return asked
        return self._moved(question, at) > at

    def _moved(self, question: str, at: int) -> int:
        """Return where the thing that was asked for ends, or `at`."""
        if question == "path":
            run = _URL_RUN.match(self._kinds, at)
            return run.end() if run else at
        if question == "host":
            return self._host_end(at)
        if question == "comment" and self._kinds[at : at + 1] == b"-" and at < self._open_comment:
            found = self._kinds.find(b"-->", at + 1)
            if found >= 0:
                return found + 3
            self._open_comment = at
        return at

    def _host_end(self, at: int) -> int:
        # Inside an address only the host after the first "@" counts, so the
        # inner parser takes no address itself and this never nests.
        if self._inner:
            return at
        inner = _Parser(self._kinds)
        inner._inner, inner._host_only, inner._at = True, True, at
        inner._open_comment = self._open_comment
        token = inner._next()
        return token.end if token is not None and token.type == "host" else at

    def _note_opaque(self, at: int) -> None:
        name = self._kinds[self._start : min(at, self._start + 9)].lower()
        self._ignored = _OPAQUE.get(name, self._ignored)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, blanks included, as `ts_parse('default', text)` does."""
    return iter(_Parser(kinds(text)))
