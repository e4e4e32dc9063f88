from django.db import migrations


def reasons_leave(apps, _schema_editor):
    """What was typed as the reason of a freeze leaves jobs that ended: erasures of before did not
    look there, and of whom they were nobody knows any more."""
    ended = apps.get_model("annotation", "Job").objects.filter(
        kind="freeze", state__in=["done", "failed"]
    )
    for pk, parameters in ended.values_list("pk", "parameters"):
        if parameters.pop("reason", None) is not None:
            ended.filter(pk=pk).update(parameters=parameters)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0041_item_structure"),
    ]

    operations = [
        migrations.RunPython(reasons_leave, migrations.RunPython.noop),
    ]
