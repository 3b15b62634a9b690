"""Programs run by an interpreter that has OpenEnv and nothing of ours: what ours is measured beside."""
