"""`search_equality` is in no wheel: it is imported from the root of the repository."""

import sys

from sources import ROOT

sys.path.insert(0, str(ROOT))
