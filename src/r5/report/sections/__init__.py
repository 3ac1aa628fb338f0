"""The sections of the page, one a file: from what was found to HTML."""
