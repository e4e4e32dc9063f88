from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0043_days_hold_a_day'),
    ]

    operations = [
        migrations.AddField(
            model_name='publishedprotocol',
            name='file',
            field=models.TextField(blank=True, db_default='', default=''),
        ),
    ]
