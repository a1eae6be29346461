"""Who somebody is: accounts, sessions, tokens, proofs, and the pages to sign in."""
