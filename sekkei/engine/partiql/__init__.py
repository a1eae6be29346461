"""DynamoDB's PartiQL: statements read, and turned into the engine's own operations."""
