"""How stores spell an agent's configuration: what an older wellkept wrote is read, and what it can read is written."""

import json

import msgspec

from wellkept.model.agents import AgentConfig, spelled
from wellkept.model.recall import RecallSettings

# As 0.1.0 wrote and read it: it refuses a field that it does not know.
FROZEN = (
    '{"name":"x","model":null,"instructions":"","tools":[],"memoryInjectionEnabled":false,"workingMemory":null,'
    '"memories":{"poolCap":500,"perUserReserve":0,"generalWrite":"review","injectionWords":4000,'
    '"injectionChars":40000},"metadata":{}}'
)


def test_an_agent_without_recall_is_spelled_as_before() -> None:
    assert spelled(AgentConfig(name="x")) == FROZEN
    assert msgspec.json.decode(FROZEN, type=AgentConfig) == AgentConfig(name="x")


def test_only_an_agent_with_recall_names_it() -> None:
    config = AgentConfig(name="x", recall=RecallSettings(limit=3))
    assert json.loads(spelled(config))["recall"]["limit"] == 3
    assert msgspec.json.decode(spelled(config), type=AgentConfig) == config
