"""Questions of law: what a model asked of an original, what it answered from a simplification, what
it gave the answer.

Each row stands for one stored reply of a call (``Generation``); the replies themselves, as they
came, are its ``Output``. A lead may edit or drop a question until it is asked; the event of that
holds what it was.
"""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotation.models.generation import Generation
from annotation.models.item import Simplification

HIGHEST_GRADE = 10


class Question(models.Model):
    """One question about an original, with the answer that its text gives and the words that bear
    it. ``generation``: the call of one system about one item whose reply it stood in."""

    generation = models.ForeignKey(Generation, on_delete=models.CASCADE, related_name="questions")
    number = models.PositiveSmallIntegerField()
    type = models.CharField(max_length=40)
    text = models.TextField()
    expected = models.TextField()
    quotation = models.TextField()
    edited_at = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["generation", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["generation", "number"], name="question_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="question_from_one"),
            models.CheckConstraint(
                condition=~Q(text="") & ~Q(expected="") & ~Q(quotation=""),
                name="question_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.generation_id}/{self.number}"


class QuestionAnswer(models.Model):
    """What a simplification answers, by one system: an answer, or that its text does not say.

    ``is_said``: the text answers; else ``text`` and ``quotation`` are empty. ``is_beyond``: an
    answer whose quoted words stand nowhere in the text.
    """

    generation = models.OneToOneField(
        Generation, on_delete=models.CASCADE, related_name="question_answer"
    )
    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="answers")
    simplification = models.ForeignKey(
        Simplification, on_delete=models.CASCADE, related_name="question_answers"
    )
    is_said = models.BooleanField()
    text = models.TextField(blank=True)
    quotation = models.TextField(blank=True)
    is_beyond = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["generation"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=(Q(is_said=True) & ~Q(text=""))
                | Q(is_said=False, is_beyond=False, text="", quotation=""),
                name="question_answer_said",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question_id} from {self.simplification_id}"


class QuestionGrade(models.Model):
    """What an answer is worth against the expected one, 0 to 10, by one system, and why."""

    generation = models.OneToOneField(
        Generation, on_delete=models.CASCADE, related_name="question_grade"
    )
    answer = models.ForeignKey(QuestionAnswer, on_delete=models.CASCADE, related_name="grades")
    score = models.PositiveSmallIntegerField(validators=[MaxValueValidator(HIGHEST_GRADE)])
    reason = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["generation"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=HIGHEST_GRADE), name="question_grade_range"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.answer_id}: {self.score}"
