"""The one exception whose text is meant for the user's eyes."""

from __future__ import annotations


class UserError(Exception):
    """One clear sentence: what is wrong and what to do. Printed as it is; exit status 2."""
