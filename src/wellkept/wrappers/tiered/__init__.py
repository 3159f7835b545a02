"""A cache before a durable store, `tiered://?cache=…&durable=…`: read through, and never an old text."""

from wellkept.wrappers.tiered.opening import open
from wellkept.wrappers.tiered.stats import CacheStats
from wellkept.wrappers.tiered.store import Tiered

__all__ = ["CacheStats", "Tiered", "open"]
