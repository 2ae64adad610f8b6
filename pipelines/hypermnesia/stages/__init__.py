"""The batch passes, one file a stage: Arrow tables in, named Arrow tables out, no vendor."""
