"""Where passages are kept."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from wellkept.contract.capability import Capability
from wellkept.model.ids import AgentId, PassageId, SessionId, TenantId, UserId
from wellkept.model.pages import Position
from wellkept.model.passages import (
    NewPassage,
    Passage,
    PassageCounts,
    PassageOwner,
    PassagesPut,
    PassageStamp,
    Selection,
    StoredPassage,
    Vector,
)


class PassageStore(ABC):
    """Keeps passages and their vectors. It does not search: `wellkept.services.recall` does, the same over every store.

    (Its methods share no name with those of the other contracts but `close`: one class may keep all.)

    Obligations, each held by a test in `wellkept.testing.passage_store`:

    * `put_passages` stores each message once, however often and by however
      many at once it is given; it is whole or not at all;
    * every change of an owner's passages or vectors gets a revision, higher
      than any before it, and is seen by whoever reads the owner's stamp
      afterwards, from any process: an owner's revisions become visible in
      their order. What changes nothing takes none;
    * who reads the `stamp`, then `changed_since` the revision of the stamp
      read before (0: the first time), and then, if `removals` is above that
      revision, `passage_ids`, knows what is stored, as far as that stamp at
      least. A stamp below the one read before means: begin anew;
    * an owner without passages leaves nothing behind, and has the stamp
      (0, 0). The first passages after that take a revision above all of
      before, and `removals` is the same: what was known is gone;
    * a deleted passage is gone at once, with its vectors of every model;
    * nothing of another tenant, agent or user is ever read, changed or counted;
    * a vector of one model never takes the place of another model's;
    * lists are newest first, and a cursor neither skips nor repeats a passage
      that was there all the time.

    A store that keeps agents or sessions as well forgets the passages of one
    in the transaction that deletes it.
    """

    capabilities: ClassVar[frozenset[Capability]] = frozenset()

    @abstractmethod
    async def put_passages(self, owner: PassageOwner, pieces: Sequence[NewPassage]) -> PassagesPut:
        """Store whole messages: all pieces of each message that `pieces` name, all of this owner.

        Pieces of the same message that are stored and are not given go. A
        piece whose passage is as stored is left alone, with its vectors (what
        is given for it besides is not looked at); one that changed loses them.
        Of two pieces with the same id the last counts.

        Raises:
            InvalidInput: A piece is another owner's. Nothing is stored.
            NotFound: The agent was deleted from the directory that this store keeps.
        """

    @abstractmethod
    async def put_vectors(self, owner: PassageOwner, vectors: Mapping[PassageId, Vector]) -> int:
        """Add vectors to stored passages, replacing those of the same model; say how many passages were there."""

    @abstractmethod
    async def stamp(self, owner: PassageOwner) -> PassageStamp:
        """Say how far the owner's passages have come; (0, 0): there are none."""

    @abstractmethod
    async def changed_since(
        self, owner: PassageOwner, revision: int, *, model: str | None, limit: int, after: PassageId | None = None
    ) -> list[StoredPassage]:
        """Give up to `limit` passages that were written after `revision`, by revision and then by id.

        `after` goes on behind the passage of that id at revision `revision`:
        the last one given. With `model`, each with its vector of that model.
        """

    @abstractmethod
    async def passage_ids(self, owner: PassageOwner) -> frozenset[PassageId]:
        """Name all passages of an owner."""

    @abstractmethod
    async def passages(self, owner: PassageOwner, ids: Sequence[PassageId]) -> dict[PassageId, Passage]:
        """Read passages by id; those that are not there are left out."""

    @abstractmethod
    async def listed(self, chosen: Selection, *, limit: int, after: Position | None = None) -> list[Passage]:
        """Give up to `limit` passages, newest first (`at`, then `id`, descending), from after a position."""

    @abstractmethod
    async def last_number(self, owner: PassageOwner, session: SessionId) -> int:
        """Give the highest `number` of a session's passages of kind `message`; 0 without any."""

    @abstractmethod
    async def delete_passages(self, chosen: Selection) -> int:
        """Forget passages and their vectors; say how many passages there were."""

    @abstractmethod
    async def purge_user_passages(self, tenant: TenantId, user: UserId) -> int:
        """Forget all passages of a user, with every agent; say how many there were."""

    @abstractmethod
    async def count_passages(self, tenant: TenantId, agent: AgentId | None = None) -> PassageCounts:
        """Count a tenant's passages, or those of one of its agents."""

    @abstractmethod
    async def without_vector(
        self, tenant: TenantId, model: str, *, limit: int, after: Passage | None = None
    ) -> list[Passage]:
        """Give up to `limit` passages that have no vector of `model`, by agent, user and id, from after one.

        `after` was given last; it need not be there any more.
        """

    async def close(self) -> None:
        """Let go of files and connections. A second time does nothing."""
