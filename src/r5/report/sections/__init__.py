"""The sections of the page, one a file: from findings to HTML."""
