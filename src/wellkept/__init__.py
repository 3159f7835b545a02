"""Durable memory for AI agents.

Every public name is here, and importing this loads nothing else: a name's
module is imported when the name is first used.
"""
