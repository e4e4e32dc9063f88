import annotation.models.erasure
import django.core.serializers.json
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0010_scoring_of_a_study'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='erased_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.CreateModel(
            name='ErasureRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('wish', models.CharField(choices=[('keep', 'stay in the data under the pseudonym'), ('leave_out', 'are left out of every later release')], max_length=9, verbose_name='my judgments')),
                ('state', models.CharField(choices=[('open', 'waits for a decision'), ('running', 'being carried out'), ('granted', 'carried out'), ('refused', 'refused'), ('cancelled', 'taken back')], default='open', max_length=9)),
                ('requested_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decision', models.CharField(blank=True, choices=[('keep', 'stay in the data under the pseudonym'), ('leave_out', 'are left out of every later release')], max_length=9)),
                ('reason', models.TextField(blank=True)),
                ('statement', models.JSONField(blank=True, default=annotation.models.erasure.nothing_done, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='erasure_requests', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('user',), name='erasure_request_one_open'), models.CheckConstraint(condition=models.Q(('state__in', ['open', 'running', 'granted', 'refused', 'cancelled'])), name='erasure_request_state'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['granted', 'refused']), _negated=True), models.Q(('decided_at__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='erasure_request_decided_with_reason')],
            },
        ),
    ]
