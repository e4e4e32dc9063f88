"""Every page, by area."""

from annotation.web.urls_account import urlpatterns as account
from annotation.web.urls_adjudication import urlpatterns as adjudication
from annotation.web.urls_agreement import urlpatterns as agreement
from annotation.web.urls_annotate import urlpatterns as annotate
from annotation.web.urls_documents import urlpatterns as documents
from annotation.web.urls_exports import urlpatterns as exports
from annotation.web.urls_generation import urlpatterns as generation
from annotation.web.urls_glossary import urlpatterns as glossary
from annotation.web.urls_imports import urlpatterns as imports
from annotation.web.urls_personal import urlpatterns as personal
from annotation.web.urls_plan import urlpatterns as plan
from annotation.web.urls_practice import urlpatterns as practice
from annotation.web.urls_releases import urlpatterns as releases
from annotation.web.urls_scorers import urlpatterns as scorers
from annotation.web.urls_studies import urlpatterns as studies
from annotation.web.urls_system import urlpatterns as system
from annotation.web.urls_tokens import urlpatterns as tokens
from annotation.web.urls_watching import urlpatterns as watching

# Addresses are tried in this order: first those that a judgment asks for.
urlpatterns = [
    *annotate,
    *account,
    *adjudication,
    *imports,
    *documents,
    *exports,
    *agreement,
    *generation,
    *glossary,
    *personal,
    *plan,
    *practice,
    *scorers,
    *releases,
    *studies,
    *system,
    *tokens,
    *watching,
]
