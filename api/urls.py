"""Version 1: what is here is added to and never changes its meaning.

Under ``my/`` is what an annotator may see, under ``studies/`` what those see who run a study.
"""

from django.urls import re_path

from api.agreement.urls import urlpatterns as agreement
from api.composing.urls import urlpatterns as composing
from api.documents.urls import urlpatterns as documents
from api.generation.urls import urlpatterns as generation
from api.guides.urls import urlpatterns as guides
from api.items.urls import urlpatterns as items
from api.judging.urls import urlpatterns as judging
from api.metrics.urls import urlpatterns as metrics
from api.people.urls import urlpatterns as people
from api.planning.urls import urlpatterns as planning
from api.platform.urls import urlpatterns as platform
from api.platform.views.meta import NothingHere
from api.practice.urls import urlpatterns as practice
from api.publishing.urls import urlpatterns as publishing
from api.scoring.urls import urlpatterns as scoring
from api.studies.urls import urlpatterns as studies
from api.watching.urls import urlpatterns as watching

app_name = "api"

# Addresses are tried in this order: first those that a judgment asks for.
urlpatterns = [
    *judging,
    *agreement,
    *composing,
    *documents,
    *generation,
    *guides,
    *items,
    *metrics,
    *people,
    *planning,
    *platform,
    *practice,
    *publishing,
    *scoring,
    *studies,
    *watching,
    re_path(r"", NothingHere.as_view(), name="nothing_here"),
]
