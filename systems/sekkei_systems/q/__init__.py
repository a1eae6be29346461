"""Q.: one question a day, and what one's friends answer. With everything that its operators need."""
