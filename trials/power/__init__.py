"""Power loss: every state in which a disk may be left by the system calls that the file store made."""

from trials.power.trial import run

__all__ = ["run"]
