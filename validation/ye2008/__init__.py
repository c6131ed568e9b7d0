"""Ye, Ji and Chen (2008), and the answers to its programs, judged."""
