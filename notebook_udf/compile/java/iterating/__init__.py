"""Iterating: what goes through values one by one, and puts them into an order."""
