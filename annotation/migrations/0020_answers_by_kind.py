"""Answers are stored by kind and not by protocol; what a protocol says of them is asked when a judgment
is sealed (models/seals.py)."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0019_released_found'),
    ]

    operations = [
        migrations.CreateModel(
            name='SideAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('field', models.CharField(max_length=40)),
                ('value', models.TextField()),
            ],
        ),
        migrations.AlterModelOptions(
            name='errordeduction',
            options={'ordering': ['judgment', 'field', 'ordinal']},
        ),
        migrations.RemoveConstraint(
            model_name='errordeduction',
            name='error_ordinal_once',
        ),
        migrations.RemoveConstraint(
            model_name='errordeduction',
            name='error_type',
        ),
        migrations.RemoveConstraint(
            model_name='rating',
            name='rating_value_on_its_scale',
        ),
        migrations.RemoveConstraint(
            model_name='rating',
            name='rating_says_how_it_was_derived',
        ),
        migrations.RemoveConstraint(
            model_name='rating',
            name='rating_is_bracket_minus_deductions',
        ),
        migrations.RemoveConstraint(
            model_name='rating',
            name='rating_crossing_was_answered',
        ),
        migrations.RemoveConstraint(
            model_name='study',
            name='study_crossing_policy',
        ),
        # Columns that this version reads and writes no more (0022 forgets them): the version before goes
        # on storing judgments and studies until its last process has ended, and this one leaves them out.
        migrations.AlterField(
            model_name='judgment',
            name='comment',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='explanation',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='doubt',
            field=models.BooleanField(default=False, db_default=False),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='simplicity_confirmed',
            field=models.BooleanField(default=False, db_default=False),
        ),
        migrations.AlterField(
            model_name='judgment',
            name='dimensions_required',
            field=models.PositiveSmallIntegerField(default=3, db_default=3),
        ),
        migrations.AlterField(
            model_name='study',
            name='crossing_policy',
            field=models.CharField(max_length=12, default='ask', db_default='ask'),
        ),
        migrations.AlterField(
            model_name='study',
            name='span_required',
            field=models.BooleanField(default=False, db_default=False),
        ),
        migrations.AddField(
            model_name='errordeduction',
            name='field',
            field=models.CharField(db_default='errors', default='errors', max_length=40),
        ),
        migrations.AddField(
            model_name='judgment',
            name='protocol',
            field=models.CharField(db_default='legal_meaning 1', max_length=60),
        ),
        migrations.AddField(
            model_name='study',
            name='rulings',
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict, help_text='what it decided within its protocol, all of it: see ``Protocol.rulings``'),
        ),
        migrations.AlterField(
            model_name='errordeduction',
            name='type',
            field=models.CharField(max_length=40),
        ),
        migrations.AlterField(
            model_name='rating',
            name='dimension',
            field=models.CharField(max_length=60),
        ),
        migrations.AddConstraint(
            model_name='errordeduction',
            constraint=models.UniqueConstraint(fields=('judgment', 'field', 'ordinal'), name='error_ordinal_once_per_field'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('derivation__in', ['stated', 'imported']), ('bracket__isnull', True), ('deductions__isnull', True), ('moved_from__isnull', True), ('crossing_answer', ''), ('crossing_policy', '')), models.Q(('bracket__isnull', False), ('crossing_policy__in', ['ask', 'fall_through', 'clamp']), ('deductions__isnull', False), ('derivation', 'derived')), _connector='OR'), name='rating_says_how_it_was_derived'),
        ),
        migrations.AddConstraint(
            model_name='rating',
            constraint=models.CheckConstraint(condition=models.Q(('crossing_answer', ''), ('crossing_policy', 'ask'), _connector='OR'), name='rating_crossing_only_where_asked'),
        ),
        migrations.AddField(
            model_name='sideanswer',
            name='judgment',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sides', to='annotation.judgment'),
        ),
        migrations.AddConstraint(
            model_name='sideanswer',
            constraint=models.UniqueConstraint(fields=('judgment', 'field'), name='side_once_per_field'),
        ),
        migrations.AddConstraint(
            model_name='sideanswer',
            constraint=models.CheckConstraint(condition=models.Q(('value', ''), _negated=True), name='side_says_something'),
        ),
    ]
