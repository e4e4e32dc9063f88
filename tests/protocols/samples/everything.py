"""One field of every kind, with conditions, rulings, a bracketed scale and marks of its own."""

from __future__ import annotations

from annotation.protocols.base import Option, Ruling, Wording
from annotation.protocols.kinds import (
    Bracket,
    BracketedScale,
    Choice,
    Choices,
    Edits,
    Flag,
    Keyword,
    Marks,
    Operation,
    OperationGroup,
    Refusals,
    Scale,
    Slider,
    Text,
    When,
    Whole,
)
from annotation.protocols.protocol import (
    ORIGINAL,
    SIMPLIFICATION,
    About,
    Expectation,
    JudgeWords,
    Panel,
    Protocol,
    Step,
)

OTHER = 3

READER = tuple(
    Option(value, key, Wording(fr, en), Wording(f"Pour {fr}.", f"For {en}."))
    for value, key, fr, en in (
        (1, "anybody", "tout le monde", "anybody"),
        (2, "jurist", "juristes", "jurists"),
        (OTHER, "other", "quelqu'un d'autre", "somebody else"),
    )
)
CHANGES = tuple(
    Option(value, key, Wording(fr, en))
    for value, key, fr, en in (
        (10, "shorter", "plus court", "shorter"),
        (20, "softer", "plus doux", "softer"),
    )
)
EASE = tuple(
    Option(value, f"ease_{value}", Wording(f"aisance {value}", f"ease {value}"))
    for value in range(5)
)
FLAWS = tuple(
    Option(value, key, Wording(fr, en))
    for value, key, fr, en in (
        (1, "typo", "coquille", "typo"),
        (2, "gap", "lacune", "gap"),
    )
)
OPERATIONS = (
    OperationGroup(
        "gone",
        Wording("Ôté", "Taken out"),
        (
            Operation(
                1,
                "wordGone",
                Wording("mot ôté", "word taken out"),
                Wording("Un mot manque.", "A word is missing."),
                Wording("« un bel âge » devient « un âge ».", "“a fair age” becomes “an age”."),
                side="original",
            ),
            Operation(2, "added", Wording("mot ajouté", "word added"), side="simplification"),
        ),
    ),
    OperationGroup(
        "changed",
        Wording("Changé", "Changed"),
        (
            Operation(3, "swapped", Wording("mot échangé", "word swapped")),
            Operation(4, "turned", Wording("tournure", "turn of phrase"), side="either"),
            Operation(5, "spoiled", Wording("gâché", "spoiled"), side="pair"),
        ),
    ),
)
GRAVITY = tuple(
    Option(value, key, Wording(fr, en))
    for value, key, fr, en in (
        (1, "slight", "léger", "slight"),
        (2, "heavy", "lourd", "heavy"),
    )
)
BRACKETS = (
    Bracket(1, "poor", 0, 4, Wording("Faible (0-4)", "Poor (0-4)"), Wording("Faible", "Poor")),
    Bracket(2, "good", 5, 20, Wording("Bon (5-20)", "Good (5-20)"), Wording("Bon", "Good")),
)

STEPS = (
    Step(
        "audience",
        Wording("À qui la simplification s'adresse-t-elle?", "Whom is the simplification for?"),
        (
            Choice("reader", label=Wording("Public", "Reader"), options=READER, required=True),
            Text(
                "reason",
                label=Wording("À qui donc", "Whom then"),
                shown_when=When("reader", (OTHER,)),
                required_when=When("reader", (OTHER,)),
            ),
            Choices("changes", label=Wording("Changements", "Changes"), options=CHANGES),
        ),
        sides=(SIMPLIFICATION,),
    ),
    Step(
        "reading",
        Wording("Comment la lit-on?", "How does it read?"),
        (
            Scale("ease", label=Wording("Aisance", "Ease"), options=EASE, required=True),
            Slider("warmth", label=Wording("Chaleur", "Warmth"), lowest=-20, highest=60, step=5),
            Slider("share", label=Wording("Part gardée", "Share kept"), required=True),
        ),
    ),
    Step(
        "quality",
        Wording("Que vaut-elle?", "What is it worth?"),
        (
            BracketedScale(
                "tier",
                label=Wording("Valeur", "Worth"),
                brackets=BRACKETS,
                lowest=0,
                highest=20,
                dimension_name="worth",
                required=True,
                deducts="flaws",
                crossing="tier_kept",
                moved_from="tier_before",
                policy_ruling="below_tier",
            ),
            Marks(
                "flaws",
                label=Wording("Défauts", "Flaws"),
                types=FLAWS,
                span_ruling="flaw_needs_place",
            ),
            Edits(
                "edits",
                label=Wording("Opérations", "Edits"),
                operations=OPERATIONS,
                severities=GRAVITY,
                refused="unwanted",
            ),
            Refusals("unwanted", label=Wording("Suggestions refusées", "Suggestions refused")),
            Keyword(
                "tier_kept",
                label=Wording("Sous le palier", "Below the tier"),
                allowed=("kept", "moved"),
                stored_with="tier",
            ),
            Whole(
                "tier_before",
                label=Wording("Palier d'avant", "Tier before"),
                lowest=1,
                highest=2,
                stored_with="tier",
            ),
            Keyword(
                "decided_by",
                label=Wording("Ce qui a décidé", "What decided"),
                allowed=("first_reading", "second_reading"),
                words=(Wording("première lecture", "first reading"),),
            ),
            Whole("readings", label=Wording("Lectures", "Readings"), lowest=0, highest=9),
            Flag("tired", label=Wording("Lu avec fatigue", "Read while tired")),
            Flag("unsure", label=Wording("À revoir", "To be seen again"), is_doubt=True),
            Text("message", label=Wording("Message", "Message"), max_length=300, is_remark=True),
        ),
    ),
)

PROTOCOL = Protocol(
    key="everything",
    version="1",
    title=Wording("De chaque sorte", "One of every kind"),
    steps=STEPS,
    rulings=(
        Ruling(
            "below_tier",
            Wording("Sous le palier", "Below the tier"),
            options=(
                ("ask", Wording("demander", "ask")),
                ("fall_through", Wording("laisser descendre", "fall through")),
                ("clamp", Wording("arrêter", "stop")),
            ),
            default="fall_through",
        ),
        Ruling("flaw_needs_place", Wording("Un passage par défaut", "A passage for each flaw")),
    ),
    panels=(
        Panel(ORIGINAL, Wording("Avant", "Before"), language="en"),
        Panel(SIMPLIFICATION, Wording("Après", "After"), language="en"),
    ),
    predicted="share",
    controls={
        "identical": (Expectation("share", 100, 100),),
        "unrelated": (Expectation("share", 0, 0), Expectation("worth", 0, 4)),
    },
    judge=JudgeWords("Tu lis.", lambda rulings: [f"Sous le palier : {rulings['below_tier']}."]),
    about=About(
        source="None: this is a test.",
        summary=Wording("Une question de chaque sorte.", "A question of every kind."),
        score=Wording("Une part de 0 à 100.", "A share from 0 to 100."),
        limits=(Wording("Elle ne sert à rien.", "It serves no purpose."),),
    ),
)
