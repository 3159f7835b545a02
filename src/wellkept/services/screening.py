"""The screen at work: what a write newly brings, and what follows from it."""

from typing import Final

from wellkept.contract.events import Event, Listener
from wellkept.contract.screen import Screen
from wellkept.model.errors import TextRejected
from wellkept.model.review import Screened, Verdict
from wellkept.rules import screen
from wellkept.services.turn_scope import TurnScope

ACCEPTED: Final = Screened(verdict="accept")

_GRAVITY: Final[dict[Verdict, int]] = {"accept": 0, "hold": 1, "reject": 2}


class FirstScreen(Screen):
    """The patterns of `wellkept.rules.screen`."""

    def look(self, text: str) -> Screened:
        """Give the verdict on `text`."""
        return screen.look(text)


class Screening:
    """Judges what turns write."""

    def __init__(self, screen: Screen, *, listener: Listener) -> None:
        self._screen = screen
        self._listener = listener

    def judge(self, scope: TurnScope, *, before: str, after: str, brought: str = "") -> Screened:
        """Say whether `after` may be stored in place of `before`: accept or hold. `brought` is what is new in it.

        Raises:
            TextRejected: It may not.
        """
        if after == before or not scope.screened:
            return ACCEPTED
        screened = newly_brought(self._screen, before=before, after=after, brought=brought)
        if screened.verdict == "reject":
            self._listener(Event(kind="write_rejected", tenant=scope.turn.tenant, agent=scope.turn.agent))
            raise TextRejected(findings=list(screened.findings))
        return screened


def newly_brought(screen: Screen, *, before: str, after: str, brought: str = "") -> Screened:
    """Judge a write by what it brings.

    What stood in `before` already is not this write's fault. What is met in
    `brought` itself is, and so is what appears only in the whole of `after`.
    """
    whole = screen.look(after)
    if whole.verdict == "accept":
        return ACCEPTED
    old = screen.look(before)
    own = screen.look(brought) if brought else ACCEPTED
    appearing = [finding for finding in whole.findings if finding not in old.findings]
    if not appearing and _GRAVITY[whole.verdict] <= _GRAVITY[old.verdict]:
        return own
    findings = (*appearing, *(finding for finding in own.findings if finding not in appearing))
    return Screened(verdict=max(whole.verdict, own.verdict, key=_GRAVITY.__getitem__), findings=findings)
