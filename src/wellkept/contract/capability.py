"""What a store can do beyond its contract."""

from enum import StrEnum


class Capability(StrEnum):
    """Something that not every store keeps. Ask `store.capabilities`; never look at its class."""

    HISTORY = "history"
    """Every change of a block leaves a revision."""
    DURABLE = "durable"
    """What was acknowledged is there after the process is killed."""
    SHARED = "shared"
    """Several processes may use the same data at once."""
    HAND_EDITED = "hand_edited"
    """A person may change the data behind the store's back."""
