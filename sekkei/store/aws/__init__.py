"""What a client of Amazon Web Services finds by itself: profiles, region, endpoint, credentials."""

from sekkei.store.aws.credentials import Credentials

__all__ = ["Credentials"]
