"""The files that fill empty Neo4j servers, written by the workers of a Ray cluster:

    ray job submit --runtime-env jobs/env.yaml -- python jobs/init_graph.py --config configs/cluster.yaml FOLDER

FOLDER must be new, and on storage that every node and the servers see. Then, for each server, `graph import`,
its start, and at last `graph load` (cluster/neo4j/README.md).
"""

import os
import sys

from hypermnesia.cli import main

os.environ.setdefault("RAY_ADDRESS", "auto")
main(["graph", "write", "--json", *sys.argv[1:]])
