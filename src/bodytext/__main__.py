"""python -m bodytext: the command line."""

import sys

from bodytext.cli import main

sys.exit(main())
