from tests.engine.partiql.fixtures import running

__all__ = ["running"]
