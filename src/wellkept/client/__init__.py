"""The SDK: a server's endpoints as values, an asynchronous and a blocking sender."""
