"""JSON as strictly as it can be read."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wellkept.model.errors import InvalidInput
from wellkept.server.strict_json import MAX_DEPTH, parse, pointer, walk

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
LEAF = (
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
JSON = st.recursive(LEAF, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner))


@given(JSON)
def test_what_is_json_is_read_as_it_is(value: Any) -> None:
    assert parse(json.dumps(value).encode()) == value
    assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(JSON)
def test_every_value_is_met_with_the_way_to_it(value: Any) -> None:
    def by_hand(inner: Any, path: list[str]) -> list[tuple[list[str], Any]]:
        named = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        return [(path, inner), *(found for name, child in named for found in by_hand(child, [*path, str(name)]))]

    met = [(list(path), inner) for path, inner in walk(parse(json.dumps(value).encode()))]
    assert met == by_hand(value, [])


def test_a_text_is_nested_so_deep_and_no_deeper() -> None:
    assert parse(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    for levels in (MAX_DEPTH + 2, 5_000, 500_000):
        with pytest.raises(InvalidInput, match="nested deeper"):
            parse(b"[" * levels + b"]" * levels)


def test_a_name_that_comes_twice_is_named() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(b'{"a": [{"b/c": 1, "d": 2, "b/c": 1}]}')
    assert caught.value.param == "a/0/b~1c"


def test_a_pointer_escapes_what_it_is_made_of() -> None:
    assert (pointer(["a~b", "0", "c/d"]), pointer([])) == ("a~0b/0/c~1d", "body")


def test_a_large_text_takes_no_longer_than_its_size() -> None:
    deep = b"[" * 60 + b"1," * 500_000 + b"1" + b"]" * 60
    begun = time.process_time()
    parse(deep)
    assert time.process_time() - begun < 5
