"""The Qt window. Sees messages, frame records and settings only; never torch, never a sound device."""
