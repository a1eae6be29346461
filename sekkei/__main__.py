"""`python -m sekkei` is the command `sekkei`."""

import sys

from sekkei.cli import main

sys.exit(main())
