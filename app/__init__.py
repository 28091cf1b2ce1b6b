"""Composition: configuration, audio ends, the conversation, the command line. No Qt here, torch only in functions."""
