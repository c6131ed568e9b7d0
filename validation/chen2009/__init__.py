"""Chen, Gupta and Recht (2009), and the answers to its programs, judged."""
