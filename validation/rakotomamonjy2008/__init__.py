"""Rakotomamonjy et al. (2008), and the answers to its program, judged."""
