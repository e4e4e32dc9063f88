"""What stood in columns of judgments and studies moves to where it stands by kind."""

from django.db import migrations

# They would ask the sealed judgments for what has just moved. Made anew below, by today's rules.
WITHOUT_SEALS = """
DROP TRIGGER IF EXISTS judgment_seal_insert ON annotation_judgment;
DROP TRIGGER IF EXISTS judgment_seal_update ON annotation_judgment;
"""
TEXTS = """
INSERT INTO annotation_sideanswer (judgment_id, field, value)
SELECT id, '{0}', {0} FROM annotation_judgment WHERE {0} <> ''
ON CONFLICT DO NOTHING
"""
FLAGS = """
INSERT INTO annotation_sideanswer (judgment_id, field, value)
SELECT id, '{0}', '1' FROM annotation_judgment WHERE {0}
ON CONFLICT DO NOTHING
"""
# No word of anybody's stays where no erasure looks.
EMPTY = """
UPDATE annotation_judgment SET comment = '', explanation = '' WHERE comment <> '' OR explanation <> ''
"""


def seals_drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(WITHOUT_SEALS)


def seals_make(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        from annotation.models import triggers

        triggers.create(using=schema_editor.connection.alias)


def rulings_fill(apps, schema_editor):
    for study in apps.get_model("annotation", "Study").objects.iterator():
        study.rulings = {
            "crossing_policy": study.crossing_policy,
            "span_required": study.span_required,
        }
        study.save(update_fields=["rulings"])


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0020_answers_by_kind'),
    ]

    # Step by step: dropping a trigger keeps even readers waiting until its transaction ends. Whatever
    # is interrupted can be run again.
    atomic = False

    operations = [
        migrations.RunSQL([TEXTS.format(name) for name in ("comment", "explanation")]),
        migrations.RunSQL([FLAGS.format(name) for name in ("doubt", "simplicity_confirmed")]),
        migrations.RunPython(seals_drop, migrations.RunPython.noop),
        migrations.RunSQL(EMPTY),
        migrations.RunPython(seals_make, migrations.RunPython.noop),
        migrations.RunPython(rulings_fill, migrations.RunPython.noop),
    ]
