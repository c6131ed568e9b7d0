"""The pictures that matter."""
