"""Placeholder until written."""
def run(ready, options, say):
    raise SystemExit("not yet")
