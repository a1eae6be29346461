"""Studio lessons: favourites, waitlists, bookings and history on one table, and word the moment a place is free."""
