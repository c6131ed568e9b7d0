"""Tang, Chen and Ye (2009), and the answers to its programs, judged."""
