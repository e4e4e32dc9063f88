from django.db import migrations

DAY_SECONDS = 24 * 60 * 60


def days_bound(apps, _schema_editor):
    """A pair that was saved without having been opened brought whatever time it said: no day holds
    more than a day has, and no such draft, whose time would come with its next submission. Sealed
    judgments stay as they were submitted."""
    over = apps.get_model("annotation", "WorkedDay").objects.filter(seconds__gt=DAY_SECONDS)
    over.update(seconds=DAY_SECONDS)
    apps.get_model("annotation", "Draft").objects.filter(
        assignment__opened_at__isnull=True, active_seconds__gt=DAY_SECONDS
    ).update(active_seconds=DAY_SECONDS)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0042_reasons_leave_jobs"),
    ]

    operations = [
        migrations.RunPython(days_bound, migrations.RunPython.noop),
    ]
