"""The commands, a file for each subject. Importing them loads nothing of what they do."""
