"""Which operations made the simplification of the original: seven, several of several.

The seven are those that Hayakawa et al. (2022), JADES, count in section 3.3 (table 2) after
Alva-Manchego (2020): a pair may have any number of them. Labels and help are ours. Published as
version 1: an edit to anything below is a new version.
"""

from __future__ import annotations

from annotation.protocols.asides import COMMENT, DOUBT
from annotation.protocols.base import Option, Wording
from annotation.protocols.kinds import Choices
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

OPERATIONS = (
    Option(
        1,
        "replace",
        Wording("Remplacement", "Replace"),
        Wording(
            "Un mot ou une expression a cédé la place à un autre qui dit la même chose; la phrase "
            "est bâtie comme avant.",
            "A word or an expression has given way to another that says the same; the sentence is "
            "built as before.",
        ),
        Wording(
            "« résilier » devient « mettre fin à ».",
            "“terminate” becomes “put an end to”.",
        ),
    ),
    Option(
        2,
        "simple_rewrite",
        Wording("Reformulation légère", "Simple rewrite"),
        Wording(
            "Une partie de la phrase est dite autrement : voix passive ou active, nom ou verbe, "
            "négation. On la retrouve encore mot à mot dans l'original.",
            "A part of the sentence is put another way: passive or active voice, noun or verb, "
            "negation. It can still be traced word by word in the original.",
        ),
        Wording(
            "« la prime est payée par le locataire » devient « le locataire paie la prime ».",
            "“the premium is paid by the tenant” becomes “the tenant pays the premium”.",
        ),
    ),
    Option(
        3,
        "strong_rewrite",
        Wording("Reformulation profonde", "Strong rewrite"),
        Wording(
            "La même idée, bâtie tout autrement : on ne retrouve plus quel mot vient duquel.",
            "The same idea, built in another way altogether: one can no longer tell which word "
            "comes from which.",
        ),
        Wording(
            "« sous réserve de la présentation des reçus » devient « montrez vos reçus, et vous "
            "serez remboursé ».",
            "“subject to presentation of receipts” becomes “show your receipts and you will be "
            "paid back”.",
        ),
    ),
    Option(
        4,
        "delete",
        Wording("Suppression", "Delete"),
        Wording(
            "L'original dit une chose que la simplification ne dit plus du tout. Un mot de moins "
            "sans rien de perdu n'en est pas une.",
            "The original says something that the simplification no longer says at all. One word "
            "less with nothing lost is none.",
        ),
        Wording(
            "« au Québec et dans les provinces voisines » devient « au Québec ».",
            "“in Quebec and in the neighbouring provinces” becomes “in Quebec”.",
        ),
    ),
    Option(
        5,
        "add",
        Wording("Ajout", "Add"),
        Wording(
            "La simplification dit une chose que l'original ne dit pas : une explication, un "
            "exemple, un lien entre deux idées.",
            "The simplification says something that the original does not: an explanation, an "
            "example, a link between two ideas.",
        ),
        Wording(
            "« la franchise » devient « la franchise, soit la part que vous payez ».",
            "“the deductible” becomes “the deductible, which is the part that you pay”.",
        ),
    ),
    Option(
        6,
        "reorder",
        Wording("Déplacement", "Reorder"),
        Wording(
            "Un groupe de mots ou une proposition a changé de place, sans que le reste soit dit "
            "autrement.",
            "A group of words or a clause has changed its place; the rest is put as before.",
        ),
        Wording(
            "« en cas de vol, avisez-nous » devient « avisez-nous en cas de vol ».",
            "“in case of theft, tell us” becomes “tell us in case of theft”.",
        ),
    ),
    Option(
        7,
        "split",
        Wording("Division", "Split"),
        Wording(
            "Une phrase de l'original en fait deux ou plus dans la simplification.",
            "One sentence of the original makes two or more in the simplification.",
        ),
        Wording(
            "« Le bateau, qui est amarré, est couvert. » devient « Le bateau est amarré. Il est "
            "couvert. »",
            "“The boat, which is moored, is covered.” becomes “The boat is moored. It is covered.”",
        ),
    ),
)

operations = Choices(
    "operations",
    label=Wording("Opérations", "Operations"),
    options=OPERATIONS,
    none=Wording("Aucune opération", "No operation"),
    required=True,
    asks=Wording(
        "Choisissez toutes les opérations que vous voyez, ou dites qu'il n'y en a aucune.",
        "Choose every operation that you see, or say that there is none.",
    ),
)

ABOUT = About(
    source=(
        "Hayakawa, A., Kajiwara, T., Ouchi, H. and Watanabe, T. (2022). JADES: New Text "
        "Simplification Dataset in Japanese Targeted at Non-Native Speakers. TSAR-2022. After "
        "Alva-Manchego, F. (2020). Automatic Sentence Simplification with Multiple Rewriting "
        "Transformations. University of Sheffield."
    ),
    summary=Wording(
        "Pour chaque paire, les opérations qui ont mené de l'original à la simplification, parmi "
        "sept : chacune est vue ou ne l'est pas.",
        "For each pair, the operations that led from the original to the simplification, among "
        "seven: each was seen or was not.",
    ),
    limits=(
        Wording(
            "Une opération est comptée une fois par paire, quel que soit le nombre d'endroits où "
            "elle a eu lieu.",
            "An operation counts once in a pair, in however many places it was made.",
        ),
        Wording(
            "Ce qui sépare une reformulation légère d'une reformulation profonde est affaire de "
            "jugement : leurs deux accords se lisent ensemble.",
            "What separates a simple from a strong rewrite is a matter of judgment: their two "
            "agreements are read together.",
        ),
    ),
)

PROTOCOL = Protocol(
    key="operations",
    version="1",
    title=Wording("Opérations de simplification", "Simplification operations"),
    steps=(
        Step(
            "operations",
            Wording(
                "Quelles opérations ont mené de l'original à la simplification?",
                "Which operations led from the original to the simplification?",
            ),
            (operations, COMMENT, DOUBT),
        ),
    ),
    panels=(
        Panel(ORIGINAL, Wording("Original", "Original"), language=""),
        Panel(SIMPLIFICATION, Wording("Simplification", "Simplification"), language=""),
    ),
    controls={
        "identical": tuple(
            Expectation(dimension.name, 0, 0) for dimension in operations.dimensions
        ),
    },
    judge=JudgeWords(
        "Tu compares un texte et sa simplification, et tu dis quelles opérations ont mené de l'un "
        "à l'autre. Réponds à l'étape ci-dessous, et seulement par l'objet JSON demandé."
    ),
    about=ABOUT,
)
