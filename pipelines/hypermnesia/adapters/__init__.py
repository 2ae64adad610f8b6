"""One file a vendor: what implements the ports."""
