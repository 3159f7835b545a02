"""The tree of errors and the wire's table of them."""

from http import HTTPStatus

import pytest

from sources import import_all, reference
from wellkept.model.errors import WellkeptError
from wellkept.wire.problems import STATUS


@pytest.fixture(scope="module")
def errors() -> set[type[WellkeptError]]:
    import_all()
    found, ahead = set(), [WellkeptError]
    while ahead:
        error = ahead.pop()
        ahead += error.__subclasses__()
        if error.__module__.startswith("wellkept."):
            found.add(error)
    return found - {WellkeptError}


def test_every_error_has_a_status(errors: set[type[WellkeptError]]) -> None:
    assert errors == set(STATUS) - {WellkeptError}


def test_every_status_is_one_of_http(errors: set[type[WellkeptError]]) -> None:
    assert not {error for error, status in STATUS.items() if HTTPStatus(status) < 400}


def test_every_error_has_a_code_of_its_own(errors: set[type[WellkeptError]]) -> None:
    codes = [error.code for error in {WellkeptError, *errors}]
    assert sorted(codes) == sorted(set(codes))


def test_the_first_line_of_every_error_is_its_message(errors: set[type[WellkeptError]]) -> None:
    lines = {error: (error.__dict__.get("__doc__") or "").strip().split("\n")[0] for error in errors}
    assert not {error for error, line in lines.items() if not line.endswith(".")}


def test_every_code_is_in_the_reference(errors: set[type[WellkeptError]]) -> None:
    assert not [error.code for error in errors if f"`{error.code}`" not in reference()]
