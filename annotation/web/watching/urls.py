"""While people judge: how far they are, what they remark, what they are paid for."""

from django.urls import path

from annotation.web.watching.views import pay, remarks, watching

urlpatterns = [
    path("studies/<slug:study>/watch/", watching.study_watch, name="study_watch"),
    path("studies/<slug:study>/remarks/", remarks.study_remarks, name="study_remarks"),
    path("studies/<slug:study>/remarks.csv", remarks.remarks_file, name="study_remarks_file"),
    path("studies/<slug:study>/pay/", pay.study_pay, name="study_pay"),
    path("studies/<slug:study>/pay.csv", pay.pay_file, name="study_pay_file"),
]
