"""Two criteria at once, a = rewards·x and c = budgets·x, over decisions that can only be maximised linearly."""
