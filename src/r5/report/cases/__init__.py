"""Single questions with their graphs, for the page's script to show."""
