"""Writes the Grafana dashboard of `deploy/monitoring`: `python -m deploy.monitoring.make_dashboard`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent / "dashboard.json"
WIDTH, HEIGHT = 12, 8
SELECTED, RATE = '{cell=~"$cell"}', "[$__rate_interval]"
#: Title and unit of each panel, and what it shows: expressions by their legends.
PANELS: Final[list[tuple[str, str, dict[str, str]]]] = [
    (
        "Steps and resets per second",
        "ops",
        {
            "steps {{cell}}": f"sum by (cell) (rate(companyos_steps_total{SELECTED}{RATE}))",
            "resets {{cell}}": f"sum by (cell) (rate(companyos_resets_total{SELECTED}{RATE}))",
        },
    ),
    (
        "Time of a step and of a reset, p50 and p99",
        "s",
        {
            f"p{share} {{{{work}}}}": f"histogram_quantile(0.{share}, "
            f"sum by (work, le) (rate(companyos_work_seconds_bucket{SELECTED}{RATE})))"
            for share in (50, 99)
        },
    ),
    (
        "Episodes ended per minute, by outcome",
        "short",
        {"{{outcome}}": f"60 * sum by (outcome) (rate(companyos_episodes_ended_total{SELECTED}{RATE}))"},
    ),
    (
        "Open episodes, and the most there may be",
        "short",
        {
            # Each replica counts those of the whole stack.
            "{{cell}}": f"max by (cell) (companyos_open_episodes{SELECTED})",
            "limit {{cell}}": f"max by (cell) (companyos_max_episodes{SELECTED})",
        },
    ),
    (
        "Steps and resets in progress",
        "short",
        {"{{instance}}": f"companyos_in_flight{SELECTED}"},
    ),
    (
        "Outages and defects per minute",
        "short",
        {
            "outage of {{part}}": f"60 * sum by (part) (rate(companyos_outages_total{SELECTED}{RATE}))",
            "defect of {{service}}": f"60 * sum by (service) (rate(companyos_service_defects_total{SELECTED}{RATE}))",
        },
    ),
    (
        "Requests refused per minute, by code",
        "short",
        {"{{code}}": f"60 * sum by (code) (rate(companyos_refusals_total{SELECTED}{RATE}))"},
    ),
    (
        "Requests to the services per second",
        "ops",
        {
            "{{instance}} {{status}}": f"sum by (instance, status) (rate(companyos_requests_total{SELECTED}{RATE}))"
        },
    ),
    (
        "Injected faults per minute, by state",
        "short",
        {"{{state}}": f"60 * sum by (state) (rate(companyos_faults_total{SELECTED}{RATE}))"},
    ),
]


def dashboard() -> dict[str, Any]:
    """Return the dashboard as Grafana imports it."""
    return {
        "title": "CompanyOS",
        "uid": "companyos",
        "schemaVersion": 39,
        "timezone": "utc",
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [_source(), _cell()]},
        "panels": list(_panels()),
    }


def _source() -> dict[str, Any]:
    return {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}


def _cell() -> dict[str, Any]:
    return {
        "name": "cell",
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "$source"},
        "query": "label_values(companyos_build_info, cell)",
        "includeAll": True,
        "multi": True,
        # A stack alone has no label.
        "allValue": ".*",
        "refresh": 2,
    }


def _panels() -> Iterator[dict[str, Any]]:
    for number, (title, unit, shown) in enumerate(PANELS):
        yield {
            "id": number + 1,
            "title": title,
            "type": "timeseries",
            "datasource": {"type": "prometheus", "uid": "$source"},
            "gridPos": {"x": number % 2 * WIDTH, "y": number // 2 * HEIGHT, "w": WIDTH, "h": HEIGHT},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
            "targets": [
                {"refId": chr(ord("A") + place), "expr": expression, "legendFormat": legend}
                for place, (legend, expression) in enumerate(shown.items())
            ],
        }


if __name__ == "__main__":
    FILE.write_text(json.dumps(dashboard(), indent=1) + "\n", encoding="utf-8")
