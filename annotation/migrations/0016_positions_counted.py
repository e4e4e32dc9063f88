"""What is kept from now on, counted once for what is there already. ``services/base/standings.py`` says what it means."""

from django.db import migrations

STANDINGS = """
UPDATE annotation_assignment
SET standing = found.standing, in_practice = found.in_practice,
    ordinal = CASE WHEN found.standing = 0 THEN 0 ELSE found.ordinal END
FROM (
    SELECT seen.id, seen.standing, seen.in_practice,
           SUM(CASE WHEN seen.standing = 0 THEN 0 ELSE 1 END)
               OVER (PARTITION BY seen.annotator_id, seen.in_practice ORDER BY seen.position) AS ordinal
    FROM (
        SELECT a.id, a.annotator_id, a.position, i.round = 'practice' AS in_practice,
               CASE
                   WHEN a.released_at IS NOT NULL AND a.opened_at IS NULL AND d.id IS NULL AND j.id IS NULL THEN 0
                   WHEN EXISTS (
                       SELECT 1 FROM annotation_assignment o
                       JOIN annotation_simplification r ON r.id = o.simplification_id
                       WHERE o.annotator_id = a.annotator_id AND r.repeat_of_id = a.simplification_id
                   ) THEN 0
                   WHEN j.submitted_at IS NOT NULL AND NOT EXISTS (
                       SELECT 1 FROM annotation_rejudgerequest q
                       WHERE q.assignment_id = a.id AND q.resolved_at IS NULL
                   ) THEN 4
                   WHEN a.set_aside_at IS NOT NULL THEN 3
                   WHEN i.round = 'repeat' THEN 2
                   ELSE 1
               END AS standing
        FROM annotation_assignment a
        JOIN annotation_simplification s ON s.id = a.simplification_id
        JOIN annotation_item i ON i.id = s.item_id
        LEFT JOIN annotation_draft d ON d.assignment_id = a.id
        LEFT JOIN annotation_judgment j ON j.assignment_id = a.id
    ) AS seen
) AS found
WHERE found.id = annotation_assignment.id
"""
TALLIES = """
INSERT INTO annotation_tally (annotator_id, in_practice, total, done, aside, unread)
SELECT n.id, rounds.in_practice, COUNT(a.id), COUNT(CASE WHEN a.standing = 4 THEN 1 END),
       COUNT(CASE WHEN a.standing = 3 THEN 1 END),
       (
           SELECT COUNT(*) FROM annotation_remarkanswer w
           JOIN annotation_assignment o ON o.id = w.assignment_id
           JOIN annotation_judgment j ON j.assignment_id = o.id
           WHERE w.read_at IS NULL AND j.submitted_at IS NOT NULL AND o.standing > 0
             AND o.annotator_id = n.id AND o.in_practice = rounds.in_practice
       )
FROM annotation_annotator n
CROSS JOIN (SELECT TRUE AS in_practice UNION ALL SELECT FALSE) AS rounds
LEFT JOIN annotation_assignment a
       ON a.annotator_id = n.id AND a.in_practice = rounds.in_practice AND a.standing > 0
GROUP BY n.id, rounds.in_practice
"""


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0015_kept_positions'),
    ]

    operations = [
        migrations.RunSQL(STANDINGS, migrations.RunSQL.noop),
        migrations.RunSQL(TALLIES, migrations.RunSQL.noop),
    ]
