"""A backfill as a Ray job, on the cluster that runs it:

    ray job submit --runtime-env jobs/env.yaml -- python jobs/backfill.py --config configs/cluster.yaml ARCHIVE...

The home folder and the archives must be on storage that every node sees. A job that ends early is
submitted again: it goes on where it stopped.
"""

import os
import sys

from hypermnesia.cli import main

os.environ.setdefault("RAY_ADDRESS", "auto")
main(["backfill", "--json", *sys.argv[1:]])
