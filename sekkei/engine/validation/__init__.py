"""What several operations share of DynamoDB's request validation, in its order and with its texts.

An operation's own SHAPE and `rules` are in its file; checks that need the table's schema are in `against_table`.
"""
