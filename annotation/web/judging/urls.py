"""Pages and requests of annotators."""

from django.urls import path

from annotation.web.judging.views import annotate, judging, keeping, own_pairs, own_work, versions

urlpatterns = [
    path("annotate/<slug:study>/<int:position>/", annotate.annotate, name="annotate"),
    path("annotate/<slug:study>/<int:position>/draft/", judging.draft, name="annotate_draft"),
    path("annotate/<slug:study>/<int:position>/submit/", judging.submit, name="annotate_submit"),
    path("annotate/<slug:study>/<int:position>/ahead/", keeping.ahead, name="annotate_ahead"),
    path("annotate/keeping.js", keeping.worker, name="annotate_keeping"),
    path("annotate/<slug:study>/<int:position>/later/", own_pairs.later, name="annotate_later"),
    path("annotate/<slug:study>/<int:position>/note/", own_pairs.note, name="annotate_note"),
    path("annotate/<slug:study>/", annotate.resume, name="annotate_resume"),
    path("annotate/<slug:study>/mine/", annotate.mine, name="annotate_mine"),
    path("annotate/<slug:study>/leave/", own_work.leave, name="annotate_leave"),
    path("annotate/<slug:study>/work/", own_work.work, name="annotate_work"),
    path("annotate/<slug:study>/options/<str:field>/", annotate.options, name="annotate_options"),
    path("annotate/<slug:study>/guide/", annotate.guide, name="annotate_guide"),
    path(
        "annotate/<slug:study>/<int:position>/take-back/",
        judging.take_back,
        name="annotate_take_back",
    ),
    path(
        "annotate/<slug:study>/<int:position>/compare/", versions.compare, name="annotate_compare"
    ),
    path(
        "annotate/<slug:study>/<int:position>/history/", versions.history, name="annotate_history"
    ),
    path(
        "annotate/<slug:study>/<int:position>/history/restore/",
        versions.restore,
        name="annotate_restore",
    ),
]
