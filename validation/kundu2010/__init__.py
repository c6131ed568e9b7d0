"""Kundu, Tankasali, Bhattacharyya and Ben-Tal (2010), and the answers to its programs, judged."""
