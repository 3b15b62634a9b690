"""What Prometheus and Grafana need to watch a stack."""
