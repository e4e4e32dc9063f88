"""A study while people judge."""

from django.urls import path

from api.watching.views import progress, watching

urlpatterns = [
    path("studies/<slug:study>/progress/", progress.StudyProgress.as_view(), name="progress"),
    path("studies/<slug:study>/watch/", watching.Watch.as_view(), name="watch"),
    path("studies/<slug:study>/watch/items/", watching.WatchItems.as_view(), name="watch_items"),
    path("studies/<slug:study>/pay/", watching.Pay.as_view(), name="pay"),
    path("studies/<slug:study>/remarks/", watching.Remarks.as_view(), name="remarks"),
    path(
        "studies/<slug:study>/remarks/<int:assignment>/answers/",
        watching.RemarkAnswers.as_view(),
        name="remark_answers",
    ),
    path(
        "studies/<slug:study>/remarks/<int:assignment>/settlement/",
        watching.RemarkSettled.as_view(),
        name="remark_settled",
    ),
    path("studies/<slug:study>/reminders/", watching.StudyReminders.as_view(), name="reminders"),
]
