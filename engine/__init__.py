"""The full-duplex engine as a library: one 80 ms frame of 24 kHz audio in, one out. Imports nothing of ours."""
