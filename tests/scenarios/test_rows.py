"""The company around an approval task: look-alikes of the goal's own objects."""

from .conftest import instance_of


def test_the_goal_is_surrounded_by_what_is_easily_taken_for_it(approval_task):
    for seed in range(8):
        instance = instance_of(approval_task, seed)
        facts, rows = instance.facts, instance.rows
        metric = next(row for row in rows["datahub"]["metrics"] if row["id"] == facts.metric["id"])
        ticket = next(row for row in rows["ticketdesk"]["tickets"] if row["id"] == facts.ticket["id"])
        record = next(row for row in rows["datahub"]["records"] if row["id"] == facts.record["id"])

        namesakes = [
            row["id"]
            for row in rows["datahub"]["records"]
            if row["kind"] == record["kind"] and row["id"] != record["id"]
        ]
        alike = [row for row in rows["datahub"]["metrics"] if row["name"] == metric["name"]]
        assert len(alike) >= 2
        assert any(row["subject"] in namesakes for row in alike) or facts.type_id == "handbook_approval"
        assert [
            row
            for row in rows["ticketdesk"]["tickets"]
            if row["kind"] == ticket["kind"] and row["subject"] in namesakes and row["status"] == "new"
        ]
