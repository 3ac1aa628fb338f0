"""`python -m r5` is the program `r5`."""

from r5.cli.main import main

main()
