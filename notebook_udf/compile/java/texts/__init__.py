"""Texts: their methods, templates, encodings, and the Unicode of this Python."""
