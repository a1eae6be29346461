"""Fakes of outside services, as strict as the real ones: for demos, worlds and tests.

A fake has no network of its own: `answer` takes a request and answers as the service would. Served over HTTP
(`sekkei_fakes.served`) it has the faults of a network; in a world the world has them.
"""
