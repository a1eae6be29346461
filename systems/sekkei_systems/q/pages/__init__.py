"""The phone client, the pictures that it shares, and the moderators' desk."""
