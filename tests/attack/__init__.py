"""The standing attack: instances of the kinds that break things, and a judge."""
