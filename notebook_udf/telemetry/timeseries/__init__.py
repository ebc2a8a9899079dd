"""How things went over time: points of equal width, what is summed in them, how they are drawn."""
