"""Discord as documented: signatures, limits, REST v10 and its rates, and an end of our own that answers like it."""
