"""Items: their values, keys, sizes and pages."""
