"""Measurements, side by side with other implementations of DynamoDB and with the floors under them (`make bench`)."""
