"""Child programs and forked processes: started, watched and stopped."""
