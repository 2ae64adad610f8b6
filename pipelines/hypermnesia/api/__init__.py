"""The thin read API: answers what the command line answers, for one user a request. It writes nothing to the lake."""
