"""The rule of tests/conftest.py: in CI a skipped test is a failed one."""

import pytest

from sources import ROOT

pytest_plugins = ["pytester"]

SUITE = """
import pytest

def test_runs(): pass

@pytest.mark.skip(reason="no such service")
def test_marked(): pass

def test_inside(): pytest.skip("not today")

@pytest.mark.xfail(strict=True)
def test_expected(): assert False
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # The rule needs none, and they take seconds to load.
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "support"))
    pytester.makeconftest((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(test_suite=SUITE)
    return pytester


def test_a_skip_fails_in_ci(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1, errors=1, xfailed=1)
    result.stdout.fnmatch_lines(["*Skipped, which CI takes for a failure: *no such service*"])


def test_a_skip_of_a_whole_file_fails_in_ci(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    suite.makepyfile(test_other="import pytest\npytest.importorskip('no_such_package')")
    monkeypatch.setenv("CI", "true")
    assert suite.runpytest_subprocess("test_other.py").ret != 0


def test_a_skip_is_a_skip_elsewhere(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    suite.runpytest_subprocess().assert_outcomes(passed=1, skipped=2, xfailed=1)
