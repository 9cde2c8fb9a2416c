"""``python -m semibandits``: the program ``semibandits``."""

from semibandits_cli import main

if __name__ == "__main__":
    main()
