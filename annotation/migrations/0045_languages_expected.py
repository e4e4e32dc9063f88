from django.db import migrations

from annotation.protocols.protocol import SIMPLIFICATION
from annotation.protocols.registry import PROTOCOLS


def languages_count(apps, _schema_editor):
    """Every simplification that is not French was counted as in another language, whatever the
    protocol's texts may be in."""
    simplification = apps.get_model("annotation", "Simplification")
    own = simplification.objects.filter(item__round__in=["practice", "main"])
    for size in apps.get_model("annotation", "StudySize").objects.select_related("study"):
        protocol = PROTOCOLS.get((size.study.protocol_key, size.study.protocol_version))
        if protocol is None:
            continue
        expected = protocol.language_of(SIMPLIFICATION).partition("-")[0]
        if expected == "fr":
            continue
        others = own.filter(item__study=size.study).exclude(language__in=["", expected])
        size.other_language = others.count() if expected else 0
        size.save(update_fields=["other_language"])


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0044_protocol_files"),
    ]

    operations = [
        migrations.RunPython(languages_count, migrations.RunPython.noop),
    ]
