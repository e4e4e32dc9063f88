"""Kinds in an unusual order: a first step that requires nothing, two lists of marks in one step
that share the name of a type, conditions on several of several, numbers below 0, edits that are
asked for only then."""

from __future__ import annotations

from annotation.protocols.base import Answers, Option, PairFacts, Problem, Ruling, Rulings, Wording
from annotation.protocols.kinds import (
    Choice,
    Choices,
    Edits,
    Flag,
    Keyword,
    Marks,
    Operation,
    OperationGroup,
    Scale,
    Slider,
    Text,
    When,
    Whole,
)
from annotation.protocols.protocol import (
    ORIGINAL,
    SIMPLIFICATION,
    Expectation,
    JudgeWords,
    Panel,
    Protocol,
    Step,
)

LOSSES = (
    Option(1, "party", Wording("partie", "party")),
    Option(2, "deadline", Wording("délai, terme", "deadline; term")),
    Option(3, "sanction", Wording("sanction", "sanction")),
)
GAPS = (
    Option(1, "cut", Wording("coupé", "cut")),
    Option(2, "other", Wording("autre lacune", "another gap")),
)
PRAISE = (
    Option(1, "apt", Wording("juste", "apt")),
    Option(2, "other", Wording("autre réussite", "another success")),
)
CLARITY = tuple(
    Option(value, key, Wording(fr, en))
    for value, key, fr, en in (
        (0, "dark", "obscure", "dark"),
        (1, "dim", "trouble", "dim"),
        (2, "clear", "claire", "clear"),
    )
)
SORT = tuple(
    Option(value, key, Wording(fr, en))
    for value, key, fr, en in (
        (-1, "none", "aucun", "none"),
        (7, "penal", "pénale", "penal"),
        (12, "arbitral", "compromissoire", "arbitral"),
    )
)
CHANGES = (
    OperationGroup(
        "words",
        Wording("Mots", "Words"),
        (
            Operation(1, "drop", Wording("ôté", "dropped"), side="original"),
            Operation(2, "swap", Wording("échangé", "swapped"), side="both"),
            Operation(3, "tone", Wording("ton", "tone"), side="pair"),
        ),
    ),
)


def argued(answers: Answers, _facts: PairFacts, rulings: Rulings) -> list[Problem]:
    """Where a study asks for it, whoever leans far says why."""
    if rulings["argued"] and (answers["balance"] or 0) < -40 and not answers["reason"]:
        return [Problem("reason", "unargued", Wording("Dites pourquoi.", "Say why."))]
    return []


PROTOCOL = Protocol(
    key="mixed",
    version="1.0",
    title=Wording("Clauses mêlées", "Mixed clauses"),
    steps=(
        Step(
            "first",
            Wording("Qu'en dites-vous d'abord?", "What do you say first?"),
            (
                Text("reason", label=Wording("Raison", "Reason"), max_length=400),
                Flag("hasty", label=Wording("Lu à la hâte", "Read in haste")),
                Keyword(
                    "register",
                    label=Wording("Registre", "Register"),
                    allowed=("legalese", "plain"),
                    words=(Wording("jargon", "legalese"), Wording("courant", "plain")),
                ),
            ),
            sides=(ORIGINAL,),
        ),
        Step(
            "parts",
            Wording("Que manque-t-il?", "What is missing?"),
            (
                Choices(
                    "losses",
                    label=Wording("Pertes", "Losses"),
                    options=LOSSES,
                    none=Wording("aucune", "none"),
                    required=True,
                ),
                Marks(
                    "gaps",
                    label=Wording("Lacunes", "Gaps"),
                    types=GAPS,
                    shown_when=When("losses", (1, 2, 3)),
                ),
                Marks(
                    "praise",
                    label=Wording("Réussites", "Praise"),
                    types=PRAISE,
                    are_errors=False,
                    max_errors=4,
                    span_ruling="located",
                ),
                Text(
                    "deadline_note",
                    label=Wording("Quel délai?", "Which deadline?"),
                    shown_when=When("losses", (2,)),
                    required=True,
                ),
            ),
        ),
        Step(
            "balance",
            Wording("De quel côté penche-t-elle?", "Which side does it lean to?"),
            (
                Slider(
                    "balance",
                    label=Wording("Équilibre", "Balance"),
                    lowest=-50,
                    highest=50,
                    step=5,
                    low=Wording("créancier", "creditor"),
                    high=Wording("débiteur", "debtor"),
                    required=True,
                ),
                Scale(
                    "clarity", label=Wording("Clarté", "Clarity"), options=CLARITY, required=True
                ),
                Choice(
                    "sort",
                    label=Wording("Genre", "Sort"),
                    options=SORT,
                    required_when=When("clarity", (0,)),
                ),
                Whole("readers", label=Wording("Lecteurs", "Readers"), lowest=-2, highest=30),
            ),
        ),
        Step(
            "close",
            Wording("Regardez de près", "Look closely"),
            (
                Edits(
                    "changes",
                    label=Wording("Changements", "Changes"),
                    operations=CHANGES,
                    shown_when=When("clarity", (0, 1)),
                    required=True,
                ),
                Text("remark", label=Wording("Remarque", "Remark"), is_remark=True),
                Flag("unsure", label=Wording("J'hésite", "I am unsure"), is_doubt=True),
            ),
        ),
    ),
    rulings=(
        Ruling("argued", Wording("Se justifie", "Must be argued")),
        Ruling("located", Wording("Passage exigé", "Passage required")),
    ),
    rules=argued,
    panels=(
        Panel(ORIGINAL, Wording("Clause", "Clause"), language="en"),
        Panel(SIMPLIFICATION, Wording("Version claire", "Plain version"), language=""),
    ),
    predicted="balance",
    controls={
        "identical": (Expectation("clarity", 1, 2, strictly=(2, 2)),),
        "unrelated": (Expectation("balance", -50, 0),),
    },
    judge=JudgeWords("You judge clauses.", lambda _rulings: ["Answer in JSON."]),
)
