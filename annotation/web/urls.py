"""Every page, by subject."""

from annotation.web.accounts.urls import urlpatterns as accounts
from annotation.web.agreement.urls import urlpatterns as agreement
from annotation.web.composing.urls import urlpatterns as composing
from annotation.web.documents.urls import urlpatterns as documents
from annotation.web.generation.urls import urlpatterns as generation
from annotation.web.guides.urls import urlpatterns as guides
from annotation.web.items.urls import urlpatterns as items
from annotation.web.judging.urls import urlpatterns as judging
from annotation.web.metrics.urls import urlpatterns as metrics
from annotation.web.people.urls import urlpatterns as people
from annotation.web.planning.urls import urlpatterns as planning
from annotation.web.platform.urls import urlpatterns as platform
from annotation.web.practice.urls import urlpatterns as practice
from annotation.web.privacy.urls import urlpatterns as privacy
from annotation.web.publishing.urls import urlpatterns as publishing
from annotation.web.scoring.urls import urlpatterns as scoring
from annotation.web.studies.urls import urlpatterns as studies
from annotation.web.watching.urls import urlpatterns as watching

# Addresses are tried in this order: first those that a judgment asks for.
urlpatterns = [
    *judging,
    *accounts,
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
    *privacy,
    *publishing,
    *scoring,
    *studies,
    *watching,
]
