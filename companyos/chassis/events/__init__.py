"""Events: transport, deferral, fault injection, and exactly-once application."""
