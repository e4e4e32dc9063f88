from django.db import migrations, models
from django.db.models import Value


def systems_fill(apps, _schema_editor):
    """Which systems each study has, read once for what is there already."""
    simplifications = apps.get_model("annotation", "Simplification").objects
    pairs = simplifications.filter(item__round__in=["practice", "main"]).exclude(system="")
    found = {}
    for study, name in pairs.order_by().values_list("item__study", "system").distinct():
        found.setdefault(study, []).append(name)
    sizes = apps.get_model("annotation", "StudySize").objects
    for study, names in found.items():
        sizes.filter(study=study).update(systems=sorted(names))


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_people_part"),
    ]

    operations = [
        migrations.AddField(
            model_name="studysize",
            name="systems",
            field=models.JSONField(default=list, db_default=Value([], models.JSONField())),
        ),
        migrations.RunPython(systems_fill, migrations.RunPython.noop),
    ]
