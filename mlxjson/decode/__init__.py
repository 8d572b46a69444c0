"""Token ids in, token ids out. Nothing here knows text, and nothing here prints."""
