"""One night as a Ray job, on the cluster that runs it:

    ray job submit --runtime-env jobs/env.yaml -- python jobs/nightly.py --config configs/cluster.yaml

What came since the last night is consolidated, probed, and published where probes get no worse. A night that ends
early is submitted again: what it decided stays, and it goes on. Schedules: cluster/kuberay/ and cluster/cronjob/.
"""

import os
import sys

from hypermnesia.cli import main

os.environ.setdefault("RAY_ADDRESS", "auto")
main(["nightly", "--json", *sys.argv[1:]])
