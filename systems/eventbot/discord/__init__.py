"""Discord as documented: signatures, limits, REST v10 with its rate limits, and an end of our own that answers like it."""
