"""Whose each draft is, for those that are there already."""

from django.db import migrations

WHOSE = """
UPDATE annotation_draft SET annotator_id = (
    SELECT a.annotator_id FROM annotation_assignment a WHERE a.id = annotation_draft.assignment_id
)
WHERE annotator_id IS NULL
"""


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_draft_annotator'),
    ]

    operations = [
        migrations.RunSQL(WHOSE, migrations.RunSQL.noop),
    ]
