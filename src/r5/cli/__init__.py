"""The command line: one file a command. Only this package prints."""
