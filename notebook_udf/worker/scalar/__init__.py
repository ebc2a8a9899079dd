"""Scalar functions over bundles: by row, vectorised, under a condition, as Arrow kernels."""
