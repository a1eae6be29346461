"""A Discord to play with: a server, its people, and a client that sends and signs what Discord would."""
