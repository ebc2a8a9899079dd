"""Scalar functions over bundles: row by row, vectorised, masked, or as Arrow kernels."""
