"""Server-sent events: from the bytes of a stream to typed events, without waiting for anything."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from wellkept.client.answers import UNREADABLE, Head, error_from
from wellkept.client.call import Streamed
from wellkept.model.errors import WellkeptError
from wellkept.wire.problems import Problem

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Frame:
    """One event as it came: its name, and its lines of data joined."""

    name: str
    data: bytes


class Frames:
    """Takes a stream apart by the rules of server-sent events, however its bytes are cut into chunks."""

    def __init__(self) -> None:
        self._rest = b""
        self._name = b"message"
        self._data: list[bytes] = []
        self._begun = False

    def feed(self, chunk: bytes) -> list[Frame]:
        """Take the next bytes; give the events that are complete now."""
        self._rest += chunk
        if not self._begun and len(self._rest) >= 3:
            self._rest = self._rest.removeprefix(b"\xef\xbb\xbf")
            self._begun = True
        found: list[Frame] = []
        while (line := self._next_line()) is not None:
            if not line:
                found += self._finish()
            else:
                self._field(line)
        return found

    def _next_line(self) -> bytes | None:
        """Take the next whole line: up to LF, CR or CR LF. A CR at the very end may be half a CR LF, so it waits."""
        ends = [at for at in (self._rest.find(b"\n"), self._rest.find(b"\r")) if at >= 0]
        if not ends:
            return None
        end = min(ends)
        if self._rest[end:] == b"\r":
            return None
        line = self._rest[:end]
        self._rest = self._rest[end + (2 if self._rest.startswith(b"\r\n", end) else 1) :]
        return line

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")  # a comment is a field without a name
        value = value.removeprefix(b" ")
        if name == b"event":
            self._name = value
        elif name == b"data":
            self._data.append(value)

    def _finish(self) -> list[Frame]:
        frame = Frame(self._name.decode(errors="replace"), b"\n".join(self._data))
        found = [frame] if self._data else []
        self._name, self._data = b"message", []
        return found


class EventReader(Generic[E]):
    """Reads the events of one answer, and knows whether the last one came."""

    def __init__(self, streamed: Streamed[E], head: Head) -> None:
        self._streamed = streamed
        self._head = head
        self._frames = Frames()
        self.complete = False

    def feed(self, chunk: bytes) -> list[E | WellkeptError]:
        """Take the next bytes; give what is complete now: events, and the error that ends them.

        An error is given, not raised: the events before it come first.
        """
        found: list[E | WellkeptError] = []
        for frame in self._frames.feed(chunk):
            if self.complete or frame.name not in self._streamed.known:
                continue
            event = self._read(frame)
            found.append(event)
            self.complete = isinstance(event, (self._streamed.last, WellkeptError))
        return found

    def end(self) -> None:
        """Note that the stream is over.

        Raises:
            ServerFailed: The last event did not come.
        """
        if not self.complete:
            raise self._head.failed("the stream of events ended early; what was saved until then stays saved")

    def _read(self, frame: Frame) -> E | WellkeptError:
        try:
            event = self._streamed.read(frame.data)
        except UNREADABLE:
            return self._head.failed("an event is not what this call sends")
        return error_from(self._head, event) if isinstance(event, Problem) else event
