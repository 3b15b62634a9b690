"""Programs run by an interpreter that has OpenEnv and nothing of ours: what a user of OpenEnv would write."""
