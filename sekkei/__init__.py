"""設計: DynamoDB designs as executable Python."""
