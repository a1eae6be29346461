TABLES = {
    "user_states": {
        "key": ("id", None),
        "gsi": {},
        "attributes": {"id": "S", "awaiting_confirmation": "S", "updated_at": "S"},
    },
    "donation_history": {
        "key": ("user_id", "created_at"),
        "gsi": {"GSI1": ("gsi1_pk", "gsi1_sk")},
        "attributes": {
            "user_id": "S",
            "created_at": "S",
            "amount": "N",
            "prefecture": "S",
            "status": "S",
            "tx_id": "S",
            "gsi1_pk": "S",
            "gsi1_sk": "S",
        },
    },
}
NOTED = {"user_states": {"session_expires_at": "N"}, "donation_history": {"idempotency_key": "S"}}
TEMPLATES = {
    ("donation_history", "gsi1_sk"): "USER#{user_id}#{created_at}",
}
PATTERNS = {
    "1": [("GetItem", "user_states", None)],
    "2": [("UpdateItem", "user_states", None)],
    "3": [
        ("TransactWriteItems UpdateItem", "user_states", None),
        ("TransactWriteItems PutItem", "donation_history", None),
    ],
    "4": [("Query", "donation_history", None)],
    "5": [("Query", "donation_history", "GSI1")],
}
