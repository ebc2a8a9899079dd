"""Where the figures in the documentation come from.

``python -m benchmarks`` runs them all, side by side with what each is compared to, and writes
``benchmarks/RESULTS.md``. Every figure is a ratio within one run, of medians of at least five.
"""
