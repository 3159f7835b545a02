"""What each method of the SDK sends: one function for each, from its arguments to a `Call`."""
