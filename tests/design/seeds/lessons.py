TABLES = {
    "user_lessons": {
        "key": ("PK", "SK"),
        "gsi": {
            "TypeDateIndex": ("type", "lessonDate"),
            "StudioDateIndex": ("studioCode", "lessonDate"),
            "StatusDateTimeIndex": ("status", "lessonDateTime"),
        },
        "attributes": {
            "PK": "S",
            "SK": "S",
            "userId": "S",
            "studioCode": "S",
            "lessonDate": "S",
            "startTime": "S",
            "lessonName": "S",
            "instructor": "S",
            "type": "S",
            "status": "S",
            "createdAt": "S",
            "updatedAt": "S",
            "ttl": "N",
            "waitlistId": "S",
            "notificationSent": "BOOL",
            "reservationId": "S",
            "notes": "S",
        },
    },
}
NOTED = {"user_lessons": {"lessonDateTime": "S"}}  # an index key, but not in the document's interface
TEMPLATES = {
    ("user_lessons", "PK"): "USER#{user_id}",
    ("user_lessons", "SK"): "LESSON#{studio_code}#{lesson_date}#{start_time}#{kind}",
}
PATTERNS = {
    "TypeDateIndex": [("Query", "user_lessons", "TypeDateIndex")],
    "StudioDateIndex": [("Query", "user_lessons", "StudioDateIndex")],
    "StatusDateTimeIndex": [("Query", "user_lessons", "StatusDateTimeIndex")],
}
