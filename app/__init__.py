"""Composition: configuration, audio ends, the conversation and the command line. No Qt here, torch only inside functions."""
