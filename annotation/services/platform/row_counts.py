"""What the database believes of its own tables, told anew after many rows at once."""

from __future__ import annotations

from django.db import connection, models, transaction

MANY = 500


def row_counts_refresh(*written: type[models.Model]) -> None:
    """Let PostgreSQL count these tables now.

    It counts by itself about a minute after a large write. Planned on the counts of before, when
    the tables were empty, the first export or agreement report after an import took minutes instead
    of a second. SQLite plans without counts, and better: its counts know nothing of columns that
    are mostly null, and an index on one (the pair that a pair repeats) would be taken for useless.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(sorted(map(_counted, written)))}")


def _counted(model: type[models.Model]) -> str:
    """A table with the columns that rows are found by. To sort clauses is two thirds of counting
    10,000 of them, and nobody looks for a row by its clause."""
    quote = connection.ops.quote_name
    columns = [
        quote(str(field.column))
        for field in model._meta.local_concrete_fields
        if not isinstance(field, models.TextField | models.JSONField)
    ]
    return f"{quote(model._meta.db_table)} ({', '.join(columns)})"


def row_counts_refresh_on_commit(rows: int, *written: type[models.Model]) -> None:
    """The same once the transaction is through, where it wrote enough rows to mislead a plan.

    Not inside it: the lock that counting takes would be held to its end. A count that fails costs
    speed only.
    """
    if rows >= MANY:
        transaction.on_commit(lambda: row_counts_refresh(*written), robust=True)
