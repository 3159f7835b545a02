"""The comparison itself can say no."""

import pytest

import curl
from expecting import differs


@pytest.mark.parametrize(
    ("shown", "came"),
    [
        ("- Name: Sam", "- Name: Sam\n"),
        ("hold_…  waits", "hold_0123 \t waits"),
        ("a\n…\nz", "a\nb\nc\nz"),
        ('{"id": "ag_…", "n": 1}', '{"n":1,"id":"ag_123"}'),
        ('{"id": "ag_…", "…": "…"}', '{"id":"ag_123","more":true}'),
        ('{"data": [{"id": "…"}, "…"]}', '{"data":[{"id":"a"},{"id":"b"}]}'),
    ],
)
def test_what_fits_does_not_differ(shown: str, came: str) -> None:
    assert not differs(shown, came)


@pytest.mark.parametrize(
    ("shown", "came"),
    [
        ("- Name: Sam", "- Name: Ann"),
        ("- Name: Sam", "- Name: Sam\n- Plan: pro"),
        ('{"id": "ag_…"}', '{"id":"mem_123"}'),
        ('{"id": "ag_…"}', '{"id":"ag_123","more":true}'),
        ('{"id": "ag_…", "n": 1, "…": "…"}', '{"id":"ag_123"}'),
        ('{"n": 1}', '{"n":true}'),
        ('{"data": []}', '{"data":[1]}'),
        ('{"data": [1, 2, "…"]}', '{"data":[1]}'),
        ('{"a": 1}', "no JSON"),
    ],
)
def test_what_differs_is_told(shown: str, came: str) -> None:
    assert differs(shown, came)


def test_an_unknown_option_of_curl_fails() -> None:
    with pytest.raises(AssertionError, match="--insecure"):
        curl.read(["http://127.0.0.1:8787/live", "--insecure"])
