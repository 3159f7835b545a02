"""What every recall service keeps, wherever its passages lie: `RecallContract`."""

from wellkept.testing.recall_filters import RecallFiltersContract
from wellkept.testing.recall_meaning import RecallMeaningContract
from wellkept.testing.recall_walls import RecallWallsContract


class RecallContract(RecallWallsContract, RecallMeaningContract, RecallFiltersContract):
    """Each promise of a recall service. The fixtures are described at `wellkept.testing.recall_stage.RecallStage`."""
