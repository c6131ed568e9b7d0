"""Lanckriet et al. (2004), and the answers to its programs, judged."""
