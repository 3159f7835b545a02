"""What every store of passages keeps: `PassageStoreContract`."""

from wellkept.testing.passage_changes import PassageChangesContract
from wellkept.testing.passage_messages import PassageMessagesContract
from wellkept.testing.passage_walls import PassageWallsContract


class PassageStoreContract(PassageMessagesContract, PassageChangesContract, PassageWallsContract):
    """Each obligation of `PassageStore`; see `wellkept.testing` for the fixtures."""
