"""Tests with real parts: a sound server, a screen, the program as a process of its own."""
