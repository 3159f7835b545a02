"""Blocks over several stores, `routed://?user=…&default=…`: by their scope, or as a function says."""

from wellkept.wrappers.routed.opening import open
from wellkept.wrappers.routed.store import Routed

__all__ = ["Routed", "open"]
