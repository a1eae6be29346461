"""DynamoDB's HTTP protocol in front of an engine: `server.Server` listens, `sigv4` signs and verifies.

Nothing is imported here, so that a client that only signs does not load a server.
"""
