"""The five original documents, transcribed by hand: what their tables, indexes, attributes and patterns are called.

Each module has

    TABLES    {table: {"key": (pk, sk or None), "gsi": {index: (pk, sk or None)}, "attributes": {name: type}}}
              key attributes are listed among the attributes; types are DynamoDB's letters
    NOTED     {table: {name: type}} attributes that a document names only in its notes
    PATTERNS  {number: [(operation, table, index or None), ...]}

They are written from the documents' text, not from the designs.
"""
