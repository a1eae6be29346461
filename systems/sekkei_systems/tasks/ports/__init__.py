"""The outside, beside mail: other programs that are told what happens in a team."""
