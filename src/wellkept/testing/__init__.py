"""Conformance suites: a store that passes them keeps the promises of its contract.

Derive a test class from a suite and give it two fixtures:

    class TestMyBlocks(BlockStoreContract):
        @pytest.fixture
        async def store(self, tmp_path):
            store = await my_store.open(tmp_path)
            yield store
            await store.close()

        @pytest.fixture
        def open_again(self, tmp_path):
            return lambda: my_store.open(tmp_path)

`store` is an empty store. `open_again` opens another one on the same data; for a store that neither lasts nor is
shared (`Capability.DURABLE`, `Capability.SHARED`) it may answer with `store` itself.

The suites need pytest and pytest-asyncio in its mode `auto`.
"""
