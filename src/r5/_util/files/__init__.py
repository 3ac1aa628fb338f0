"""Reading and writing of files and folders."""
