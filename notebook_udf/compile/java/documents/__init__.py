"""Documents of JSON: what is read from one, and what is written as one."""
