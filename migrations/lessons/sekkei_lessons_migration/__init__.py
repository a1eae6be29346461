"""Moving the old `waitlistTable` into `user_lessons`: what becomes of a row, and the stages of the move."""
