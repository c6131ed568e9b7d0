"""Gönen and Alpaydın (2008), and the answers to its programs, judged."""
