"""The one exception whose text is meant for the user's eyes."""

from __future__ import annotations


class UserError(Exception):
    """One clear sentence: what is wrong and what to do. Printed as it is; exit status 2."""

    remedy = ""  # label of the button that goes with it in the window; "" = the usual one for what was attempted
