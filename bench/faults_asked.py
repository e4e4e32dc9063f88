"""What ``bench.faults`` runs in the application and asks of its database."""

PREPARE = """
import json, sys
import django
django.setup()
from annotation.models import Annotator, ApiToken, Item, Simplification, Study, User
from annotation.services.base.sizes import size_recount
from annotation.services.studies.studies import study_change_state, study_create
from annotation.services.accounts.tokens import token_create
clients, pairs = int(sys.argv[1]), int(sys.argv[2])
study = study_create(actor=None, key="storm", title="Storm")
items = Item.objects.bulk_create(
    Item(study=study, key=f"i{n}", position=n, original=f"Clause {n}. " + "mot " * 60) for n in range(1, pairs + 1)
)
Simplification.objects.bulk_create(Simplification(item=item, text="phrase " * 30, language="fr") for item in items)
size_recount(study)
tokens = []
for number in range(clients):
    user = User.objects.create_user(f"annotator{number}@example.org")
    Annotator.objects.create(study=study, user=user, pseudonym=f"A{number}")
    tokens.append(token_create(actor=user, name="storm", scopes=ApiToken.Scope.values, days=1)[1])
study_change_state(actor=None, study=Study.objects.get(), to="main", reason="storm")
print(json.dumps(tokens))
"""  # noqa: E501

DEPARTED = """
import json
import django
django.setup()
from annotation.services.base.standings import positions_check
print(json.dumps([f"{one.what}: kept {one.kept}, counted {one.counted}" for one in positions_check()]))
"""  # noqa: E501

STORED = """
SELECT u.email, a.position, j.submitted_at IS NOT NULL, d.answers->>'explanation', d.revision,
       COALESCE((SELECT s.value FROM annotation_sideanswer s WHERE s.judgment_id = j.id AND s.field = 'explanation'), ''),
       (SELECT count(*) FROM annotation_judgment x WHERE x.assignment_id = a.id),
       (SELECT count(*) FROM annotation_judgmentrevision r WHERE r.assignment_id = a.id),
       (SELECT count(*) FROM annotation_rating t WHERE t.judgment_id = j.id)
FROM annotation_assignment a
JOIN annotation_annotator n ON n.id = a.annotator_id
JOIN annotation_user u ON u.id = n.user_id
LEFT JOIN annotation_judgment j ON j.assignment_id = a.id
LEFT JOIN annotation_draft d ON d.assignment_id = a.id
"""  # noqa: E501
