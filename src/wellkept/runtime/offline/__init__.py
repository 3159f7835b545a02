"""The scripted model: no provider, no network, the same answers every time.

For demos, tests and machines without a key.
"""
