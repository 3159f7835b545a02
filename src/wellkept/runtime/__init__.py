"""Agents that remember: what an agent is, and its turns, on pydantic-ai's loop."""
