"""An evaluation as a Ray job, on the cluster that has the home:

    ray job submit --runtime-env jobs/env.yaml -- python jobs/evaluate.py locomo FILE --config configs/cluster.yaml

The home folder and the labelled file must be on storage that the job's node sees. What it finds is one JSON object and
one tracked run; with --answers, answers are judged by the configured generator.
"""

import os
import sys

from hypermnesia.cli import main

os.environ.setdefault("RAY_ADDRESS", "auto")
main(["evaluate", *sys.argv[1:], "--json"])
