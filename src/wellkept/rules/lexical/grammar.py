r"""The states of the text parser, as a table that can be read.

The facts are those of PostgreSQL's default text parser (`wparser_def.c`); the
notation is ours. A line without indent names a state, the lines under it its
rules, first match first: tests, a verb and its arguments.

Tests are single characters, or `letter` (ASCII), `alpha` (any letter), `digit`,
`hex`, `mark` (does not break a word), `space`, `gap` (neither letter nor
digit), `url` (may stand in a URL), `end` (of the text), `any`; or questions
about more than the character: `?ignored` (inside `<script>` or `<style>`),
`?host-only` (asked once, after a URL was split), `?host` and `?path` (one
follows here), `?comment` (it is closed somewhere).

Verbs: `to S` takes the character and goes to S. `try S` does too, but comes
back to the next rule if S fails. `fail` goes back to the last `try`; every
state ends with it. `keep S` goes to S and forgets the last `try`; `join`
does and stays in the state that tried. `emit T [S]` ends the token before the
character, `take T [S]` after it; the next token starts in S, else in `base`.
`again S` goes to S without taking anything. `+script` looks for the names of
opaque elements, `+rewind` goes back to where the token started, `+rehost` too,
and asks for a host there.
"""

from functools import cache
from typing import Final, NamedTuple

from wellkept.rules.lexical.classes import END, TESTS

_STATES: Final = r"""
base
  < try tag_first
  ?ignored to space
  letter to asciiword
  alpha to word
  digit to uint
  - + try sign
  & try entity_first
  ~ try file_tilde
  / try file_first
  . try path_dot
  any to space
space
  end < emit blank
  ?ignored to space
  - + & / emit blank
  gap to space
  any emit blank

asciiword
  letter to asciiword
  . try host_label
  . try file_next
  - try host_first
  - try hyphen_ascii_first
  _ try host_first
  @ try email
  : try protocol_first
  / try file_first
  digit try host
  digit to numword
  alpha mark to word
  any emit asciiword
word
  alpha mark to word
  digit to numword
  - try hyphen_word_first
  any emit word
numword
  alpha digit mark to numword
  @ try email
  / try file_first
  . try file_next
  - try hyphen_num_first
  any emit numword

uint
  digit to uint
  . try host_label
  . try udecimal_first
  e E try mantissa_first
  - _ try host_first
  @ try email
  letter try host
  alpha mark to numword
  / try file_first
  any emit uint
sign
  digit keep int
int
  digit to int
  . try decimal_first
  e E try mantissa_first
  any emit int
udecimal_first
  digit keep udecimal
udecimal
  digit to udecimal
  . try version_first
  e E try mantissa_first
  any emit float
decimal_first
  digit keep decimal
decimal
  digit to decimal
  . try signed_version
  e E try mantissa_first
  any emit float
signed_version
  digit again version_sign +rewind
version_sign
  digit emit blank uint
  any to version_sign
version_first
  digit keep version
version
  digit to version
  . try version_first
  any emit version
mantissa_first
  digit keep mantissa
  + - to mantissa_sign
mantissa_sign
  digit keep mantissa
mantissa
  digit to mantissa
  any emit sfloat

entity_first
  # to entity_number_first
  letter : _ to entity
entity
  alpha digit : _ . - to entity
  ; take entity
entity_number_first
  x X to entity_hex_first
  digit to entity_number
entity_number
  digit to entity_number
  ; take entity
entity_hex_first
  hex to entity_hex
entity_hex
  hex to entity_hex
  ; take entity

tag_first
  / try tag_close
  ! try markup
  ? try xml
  letter : _ try tag_name
xml
  x to tag
tag_close
  letter to tag_name
tag_name
  / to tag_empty
  > take tag +script
  space to tag +script
  alpha digit : _ . - to tag_name
tag_empty
  > take tag
tag
  > take tag +script
  ' to tag_single
  " to tag_double
  letter digit = - _ # / : . & ? % ~ to tag
  space to tag +script
tag_single
  end fail
  \ try tag_escape
  ' to tag
  any to tag_single
tag_double
  end fail
  \ try tag_escape
  " to tag
  any to tag_double
tag_escape
  end fail
  any join
markup
  - to comment_dash
  D d to tag
comment_dash
  ?comment emit tag

host_label
  letter to domain_first
  digit to host
domain_first
  letter to domain
  digit try host
  - _ try host_first
  . try host_label
  @ try email
domain
  letter to domain
  digit try host
  : try port_first
  - _ try host_first
  . try host_label
  @ try email
  digit fail
  ?host-only emit host url_start
  / try url
  any emit host
port_first
  digit to port
port
  digit to port
  ?host-only emit host url_start
  / try url
  any emit host
host_first
  letter digit to host
host
  letter digit to host
  @ try email
  . try host_label
  - _ try host_first
email
  ?host-only fail
  ?host emit email

file_first
  letter digit _ to file
  . to path_first
  ~ try file_tilde
file_tilde
  letter digit _ to file
  / to file_first
path_first
  letter digit _ to file
  . to path_second
  / to file_first
path_dot
  . to path_second
  / to file_first
path_second
  end emit file
  / try file_first
  / space emit file
file
  letter digit _ - to file
  . try file_next
  / try file_first
  any emit file
file_next
  letter digit _ keep file

url
  ?path emit url +rehost
url_start
  any to url_path
url_path
  url to url_path
  any emit url_path
protocol_first
  / to protocol_second
protocol_second
  / take protocol

hyphen_ascii_first
  letter to hyphen_ascii
  alpha to hyphen_word
  digit to hyphen_number
hyphen_ascii
  letter to hyphen_ascii
  alpha mark to hyphen_word
  digit to hyphen_num
  - try hyphen_ascii_first
  any emit asciihword hyphen_parts +rewind
hyphen_word_first
  alpha to hyphen_word
  digit to hyphen_number
hyphen_word
  alpha mark to hyphen_word
  digit to hyphen_num
  - try hyphen_word_first
  any emit hword hyphen_parts +rewind
hyphen_num_first
  alpha to hyphen_num
  digit to hyphen_number
hyphen_num
  alpha digit mark to hyphen_num
  - try hyphen_num_first
  any emit numhword hyphen_parts +rewind
hyphen_number
  digit to hyphen_number
  alpha mark to hyphen_num
hyphen_parts
  letter to part_ascii
  alpha to part_word
  digit try part_number
  - try part_hyphen
  any again base
part_hyphen
  alpha digit mark emit blank hyphen_parts
part_ascii
  letter to part_ascii
  alpha mark to part_word
  digit to part_num
  any emit hword_asciipart hyphen_parts
part_word
  alpha mark to part_word
  digit to part_num
  any emit hword_part hyphen_parts
part_num
  alpha digit mark to part_num
  any emit hword_numpart hyphen_parts
part_number
  digit to part_number
  alpha mark keep part_num
"""


class Rule(NamedTuple):
    """One rule of a state, as the parser runs it; states are numbered, `base` is 0."""

    verb: str
    state: int
    token: str
    question: str
    also: str


_VERBS: Final = {"to", "try", "fail", "keep", "join", "emit", "take", "again"}
_FAIL: Final = Rule("fail", 0, "", "", "")


def _read(line: str, number: dict[str, int]) -> tuple[list[str], Rule]:
    words = line.split()
    also = words.pop() if words[-1][0] == "+" and len(words[-1]) > 1 else ""
    verb = next(at for at, word in enumerate(words) if word in _VERBS)
    tests, args = words[:verb], words[verb + 1 :]
    token = args.pop(0) if words[verb] in ("emit", "take") else ""
    state = number[args[0]] if args else 0
    question = tests[0][1:] if len(tests[0]) > 1 and tests[0][0] == "?" else ""
    return tests, Rule(words[verb], state, token, question, also[1:])


def _kinds(test: str) -> frozenset[int]:
    if len(test) == 1:
        return frozenset(test.encode())
    holds = TESTS["any" if test[0] == "?" else test]
    return frozenset(filter(holds, range(END + 1)))


@cache
def rules() -> list[list[tuple[Rule, ...]]]:
    """Return for each state and each kind of character the rules to go through."""
    lines = [line for line in _STATES.splitlines() if line]
    names = [line for line in lines if not line.startswith(" ")]
    number = {name: at for at, name in enumerate(names)}
    kinds = cache(_kinds)
    found: list[list[tuple[Rule, ...]]] = []
    for line in lines:
        if not line.startswith(" "):
            found.append([()] * (END + 1))
            continue
        tests, rule = _read(line, number)
        for kind in frozenset[int]().union(*map(kinds, tests)):
            found[-1][kind] += (rule,)
    return [[(*row, _FAIL) for row in state] for state in found]
