"""What people see of the package's objects: markup, tables, text, figures. Knows none of them."""
