"""Handover: several tickets change hands, or none may, and there is nothing to approve."""
