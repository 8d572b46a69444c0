"""Batches: rows in, a line of JSON for each out, and nothing lost in between."""
