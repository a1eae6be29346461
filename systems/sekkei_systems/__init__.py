"""The five systems, each a design made executable."""
