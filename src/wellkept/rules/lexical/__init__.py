"""Words, vectors and queries by PostgreSQL's rules, without PostgreSQL."""

from wellkept.rules.lexical.query import WebQuery, web_query
from wellkept.rules.lexical.vector import TsVector, to_tsvector

__all__ = ["TsVector", "WebQuery", "to_tsvector", "web_query"]
