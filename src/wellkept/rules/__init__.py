"""Decisions: pure functions, without a clock, a store or waiting."""
