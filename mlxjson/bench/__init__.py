"""The same decode loop, measured: speed, and whether answers are right."""
