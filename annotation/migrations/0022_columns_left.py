"""The columns whose content has moved are forgotten, and stay in the database: the version before
writes them as long as a process of it runs. A later version drops them."""

from django.db import migrations

FORGOTTEN = [
    migrations.RemoveField(model_name='judgment', name='comment'),
    migrations.RemoveField(model_name='judgment', name='explanation'),
    migrations.RemoveField(model_name='judgment', name='doubt'),
    migrations.RemoveField(model_name='judgment', name='simplicity_confirmed'),
    migrations.RemoveField(model_name='judgment', name='dimensions_required'),
    migrations.RemoveField(model_name='study', name='crossing_policy'),
    migrations.RemoveField(model_name='study', name='span_required'),
]


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0021_answers_moved'),
    ]

    operations = [migrations.SeparateDatabaseAndState(state_operations=FORGOTTEN)]
