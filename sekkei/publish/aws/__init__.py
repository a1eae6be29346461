"""A design and a system as resources of AWS: tables, functions, permissions, alarms, from the same declaration."""
