"""Kim, Magnani and Boyd (2006), and the answers to its programs, judged."""
