"""Promises: what a store or a memory owes, each sentence held by a test."""
