import secrets

from django.db import migrations, models

import annotation.models.people


def give_each_their_own(apps, schema_editor):
    # A default is computed once for all rows that are there.
    for user in apps.get_model("annotation", "User").objects.only("pk").iterator():
        user.browser_secret = secrets.token_bytes(32)
        user.save(update_fields=["browser_secret"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_study_language")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="browser_secret",
            field=models.BinaryField(default=annotation.models.people.browser_secret, editable=False, max_length=32),
        ),
        migrations.RunPython(give_each_their_own, migrations.RunPython.noop),
    ]
