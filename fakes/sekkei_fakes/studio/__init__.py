"""A studio with a booking system of its own: the system, what it sells in a demo, and its end in our process."""
