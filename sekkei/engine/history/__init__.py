"""What takes time or looks back: streams, expiry, backups, exports, and the jobs that carry them."""
