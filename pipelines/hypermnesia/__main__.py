"""`python -m hypermnesia` is the command."""

from hypermnesia.cli import main

main()
