"""Errors over the wire and back."""

import msgspec
import pytest

from wellkept.model import errors as e
from wellkept.model.errors import Conflict, EntryAmbiguous, EntryNotFound, InvalidCursor, InvalidInput, WellkeptError
from wellkept.wire.problems import BY_CODE, STATUS, Problem, error_of, problem_of

MADE: list[WellkeptError] = [
    InvalidInput(param="text", problem="must be shorter"),
    InvalidCursor(),
    EntryNotFound(candidates=("tea", "coffee"), key="USER"),
    EntryAmbiguous(candidates=("tea", "teapot")),
    Conflict(key="USER", etag="abc"),
    Conflict(key="USER", etag=None),
    e.PreconditionFailed(etag="abc"),
    e.OverLimit(limit=10, used=11),
    e.InvalidSetting(setting="WELLKEPT_PORT", problem="must be a whole number"),
    e.ProviderRequired(model="x:y", problem="X_API_KEY is not set", do="set X_API_KEY"),
    e.RateLimited(turns_at_once=3),
    e.TextRejected(findings=["override", "role"]),
    e.BlockUnavailable(available=[]),
    *(kind() for kind in STATUS if not issubclass(kind, InvalidInput | EntryNotFound | EntryAmbiguous)),
]


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_an_error_comes_back_as_it_was(error: WellkeptError) -> None:
    sent = msgspec.json.encode(problem_of(error))
    back = error_of(msgspec.json.decode(sent, type=Problem))
    assert type(back) is type(error)
    assert back.message == error.message
    for name, value in error.facts.items():
        assert value is None or back.facts[name] == value
    if isinstance(error, EntryNotFound | EntryAmbiguous):
        assert isinstance(back, EntryNotFound | EntryAmbiguous)
        assert back.candidates == error.candidates


def test_a_code_of_a_newer_version_is_no_error_of_ours() -> None:
    assert error_of(Problem(code="from_the_future", message="?")) is None


def test_a_failed_precondition_is_a_conflict() -> None:
    assert issubclass(BY_CODE["precondition_failed"], Conflict)


def test_the_place_of_a_fault_is_a_json_pointer_below_its_location() -> None:
    nested = problem_of(InvalidInput(param="autoLoad/0/key", problem="?"), location="body")
    whole = problem_of(InvalidInput(param="body", problem="?"), location="body")
    assert nested.details is not None
    assert whole.details is not None
    assert (nested.details.issues[0].path, whole.details.issues[0].path) == ("/autoLoad/0/key", "")


def test_what_has_nothing_more_to_say_has_no_details() -> None:
    assert msgspec.json.encode(problem_of(e.Unauthorized())) == (
        b'{"code":"unauthorized","message":"The API key is missing or not known."}'
    )
