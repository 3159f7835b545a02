"""Servers for the tests: started once for all faults, not anew by each run of tests."""

import os
import sys
from collections.abc import Iterable

from faults.copies import ROOT


def lend(stores: Iterable[str]) -> None:
    """Start the server that the tests of these stores want, until this process ends. Who names another keeps that.

    A test that stops its server starts one of its own. Those of Redis' kind start so quickly that each run has its own.
    """
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    import postgres_server

    if "postgresql" in stores and "WELLKEPT_TEST_POSTGRES" not in os.environ:
        os.environ["WELLKEPT_TEST_POSTGRES"] = postgres_server.newest().url_of("postgres")
