"""Regular languages over Unicode code points."""

class Language:
    """Placeholder until regular/ lands."""
