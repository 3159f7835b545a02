"""What holds for every test.

* In CI (the variable `CI` is set) a skipped test is a failed one: a suite that quietly left out half of itself would
  look green. An expected failure (`xfail`) stays one.
* A table says which suites ran on which stores (`suite_table`); one that misses a cell fails.
* No test sees the settings or the data of the person who runs it.
"""

import os
from collections.abc import Iterator

import pytest

pytest_plugins = ["suite_table"]


def _fail_if_skipped(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not (os.environ.get("CI") and report.skipped) or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"Skipped, which CI takes for a failure: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.fixture(autouse=True, scope="session")
def _a_home_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Take away what the environment says about wellkept and its providers, and lend an empty home."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("WELLKEPT_") or name.endswith("_API_KEY"):
                patch.delenv(name)
        patch.setenv("WELLKEPT_HOME", str(tmp_path_factory.mktemp("home")))
        yield
