"""A paragraph on methods for a paper, in French and in English: what was done and nothing else.

What only people know (who was asked, how they were paid) is left to them, in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from annotation.agreement.consensus import SETTLED_ABOVE, Provenance
from annotation.agreement.result import ONE_UNIT
from annotation.agreement.sources import WIDENED
from annotation.agreement.systems.figure import Drawn
from annotation.agreement.systems.methods import systems_methods
from annotation.protocols.base import NO_WORDING, Better, Wording
from annotation.release.frozen import UNNAMED, Frozen
from annotation.release.marks import marks_methods
from annotation.release.metric_tables import is_turned
from annotation.release.quality import quality_said
from annotation.release.unnamed import order_said

_JUDGED = Wording(
    "{people} jugé {outputs} {of} {texts}{systems}, selon le protocole «\u00a0{title}\u00a0» "
    "(version {version}{source}). [À compléter\u00a0: qui juge, comment les personnes ont été "
    "recrutées et payées.]",
    "{people} judged {outputs} {of} {texts}{systems} under the protocol “{title}” "
    "(version {version}{source}). [To be completed: who they are, how they were recruited and "
    "paid.]",
)
_AVERAGED = Wording(
    "De {outputs} {of} {texts}{systems} est donnée la moyenne publiée de ce que plusieurs "
    "personnes ont répondu, selon le protocole «\u00a0{title}\u00a0» (version {version}{source}); "
    "qui elles sont et combien elles sont n'est pas connu ici.",
    "Of {outputs} {of} {texts}{systems} the published mean of what several people answered is "
    "given, under the protocol “{title}” (version {version}{source}); who and how many they are is "
    "not known here.",
)
_AMONG = Wording(
    "Parmi les jugements, {number} sont des moyennes publiées de ce que plusieurs personnes ont "
    "répondu.",
    "Among the judgments, {number} are published means of what several people answered.",
)
_OF = Wording("de", "of")
_BESIDE = Wording("en regard de", "beside")
_OF_SIMPLIFICATIONS = Wording("simplification", "simplification")
_OF_TEXTS = Wording("texte jugé", "judged text")
_IMPORTED = Wording(
    "Les jugements ont été faits ailleurs et proviennent d'un fichier; à ses auteurs de dire "
    "comment ils ont été recueillis.",
    "The judgments were made elsewhere and come from a file; how they were collected is for its "
    "authors to say.",
)
_PARTLY = Wording(
    "Les jugements de {people} ont été faits ailleurs et proviennent d'un fichier; la phrase qui "
    "suit ne vaut que pour les autres.",
    "The judgments of {people} were made elsewhere and come from a file; the next sentence holds "
    "for the others only.",
)
_CONDITIONS = Wording(
    "Les paires étaient affichées dans un ordre propre à chaque personne (tiré avec une graine), "
    "sans le nom du système, ni les réponses d'autrui, ni aucun score automatique{alone}. Chaque "
    "personne travaillait au moment de son choix.",
    "Pairs were shown in an order of each annotator's own (drawn with a seed), without the "
    "system's name, anybody else's answers or any automatic score{alone}. Annotators worked at "
    "times of their own choosing.",
)
_BOTH = Wording(", les deux textes côte à côte", ", both texts side by side")
_TOGETHER = Wording(
    ", l'original et la simplification côte à côte",
    ", original and simplification side by side",
)
_ALONE = Wording(
    "; à côté de certaines questions, un seul des deux textes",
    "; beside some questions, one of the two texts alone",
)
_CONTEXT = {
    "all": Wording(
        "Le texte voisin de la clause dans sa source était affiché.",
        "The text around the passage in its source was shown.",
    ),
    "half": Wording(
        "Le texte voisin était affiché pour une moitié des jugements, tirée au sort.",
        "The text around the passage was shown for half of the judgments, drawn at random.",
    ),
}
_WAITING = Wording(
    "Parmi ceux-ci, {number} renvoyés pour être refaits ne l'étaient pas encore\u00a0: ils "
    "figurent tels qu'ils étaient.",
    "Among them, {number} that were sent back to be made again were not yet: they stand as they "
    "were.",
)
_ONE_WAITING = Wording(
    "Parmi ceux-ci, un seul renvoyé pour être refait ne l'était pas encore\u00a0: il figure tel "
    "qu'il était.",
    "Among them, one that was sent back to be made again was not yet: it stands as it was.",
)
_IN_ORDER = Wording(
    "Les pseudonymes de {people} que le fichier ne nomme pas suivent l'ordre de ses lignes\u00a0: "
    "ce qui prend chacun pour une même personne (kappa, sévérité, intervalles pour d'autres "
    "annotateurs) suppose que cet ordre ne change pas d'une paire à l'autre.",
    "The pseudonyms of {people} whom the file does not name follow the order of its rows: what "
    "takes each for one person (kappa, severity, intervals for other annotators) supposes that "
    "this order is the same from one pair to another.",
)
_PRACTICE = Wording(
    "Un essai de {pairs} a précédé; ses réponses ne font pas partie des données.",
    "A practice round of {pairs} came first; its answers are not part of the data.",
)
_ANSWERS = Wording(
    "Les données comptent {judgments}, soit {each} par {output}{seconds}.",
    "The data hold {judgments}, {each} for each {output}{seconds}.",
)
_SECONDS = Wording(
    ", pour une durée active médiane de {seconds}",
    ", with a median active time of {seconds}",
)
_AGREEMENT = Wording(
    "L'accord est donné par l'alpha de Krippendorff au niveau de mesure de chaque "
    "question{interval}\u00a0: {values}.",
    "Agreement is given as Krippendorff's alpha at the level of measurement of each "
    "question{interval}: {values}.",
)
_OTHER_QUESTIONS = Wording(
    "Pour d'autres questions, il est donné{interval}\u00a0: {values}.",
    "For other questions it is given{interval}: {values}.",
)
_COLON = "\u00a0:"
_NO_ALPHA = Wording(
    "L'alpha de Krippendorff n'est pas défini pour {questions}.",
    "Krippendorff's alpha is not defined for {questions}.",
)
_MEANS_ALONE = Wording("seules des moyennes sont données", "means alone are given")
_INTERVAL = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% par rééchantillonnage des paires ({draws} "
    "tirages, graine {seed}), qui vaut pour ces annotateurs et d'autres paires",
    ", in brackets its {confidence}% interval from a bootstrap over pairs ({draws} draws, seed "
    "{seed}), which holds for these annotators on other pairs",
)
ITEMS = "items"
_OVER_TEXTS = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% par rééchantillonnage des textes "
    "originaux ({draws} tirages, graine {seed}) et par jackknife, qui vaut pour ces annotateurs "
    "et d'autres textes",
    ", in brackets its {confidence}% interval from a bootstrap over original texts ({draws} draws, "
    "seed {seed}) and a jackknife, which holds for these annotators on other texts",
)
_OVER_PEOPLE = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% (jackknife sur les textes originaux et "
    "sur les annotateurs, t de Satterthwaite), qui vaut pour d'autres annotateurs du même genre et "
    "d'autres textes",
    ", in brackets its {confidence}% interval (jackknife over original texts and over annotators, "
    "Satterthwaite's t), which holds for other annotators of the same kind on other texts",
)
_OVER_TEXTS_DRAWN = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% par rééchantillonnage des textes "
    "originaux ({draws} tirages, graine {seed}), qui vaut pour ces annotateurs et d'autres textes",
    ", in brackets its {confidence}% interval from a bootstrap over original texts ({draws} draws, "
    "seed {seed}), which holds for these annotators on other texts",
)
_OVER_PEOPLE_DRAWN = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% (rééchantillonnage des textes originaux, "
    "{draws} tirages, graine {seed}, et jackknife sur les annotateurs, t de Satterthwaite), qui "
    "vaut pour d'autres annotateurs du même genre et d'autres textes",
    ", in brackets its {confidence}% interval (bootstrap over original texts, {draws} draws, seed "
    "{seed}, and jackknife over annotators, Satterthwaite's t), which holds for other annotators "
    "of the same kind on other texts",
)
_OF_THESE_TEXTS = Wording(
    ", entre crochets l'intervalle à {confidence}\u00a0% par rééchantillonnage des paires ({draws} "
    "tirages, graine {seed}), chacune prise pour elle-même, qui vaut pour ces annotateurs et "
    "d'autres paires de ces mêmes textes",
    ", in brackets its {confidence}% interval from a bootstrap over pairs ({draws} draws, seed "
    "{seed}), each taken for itself, which holds for these annotators on other pairs of these same "
    "texts",
)
_NO_INTERVAL = Wording(", sans intervalle", ", without an interval")
OF_THESE_TEXTS, NONE = "these_sources", "none"
_QUOTED = {
    ("other_annotators", True): _OVER_PEOPLE,
    ("other_annotators", False): _OVER_PEOPLE_DRAWN,
    ("other_sources", True): _OVER_TEXTS,
    ("other_sources", False): _OVER_TEXTS_DRAWN,
    (ITEMS, False): _INTERVAL,
    (OF_THESE_TEXTS, False): _OF_THESE_TEXTS,
    (NONE, False): _NO_INTERVAL,
}
"""The intervals that may be quoted, and whether texts are left out in turn (a jackknife): of each
alpha the first that it has, as on the page. The one over pairs is too narrow for other texts where
pairs share them, and says so."""
_LABELS = Wording(
    "Étiquettes finales\u00a0: {rules}; {ties}{rulings}.",
    "Final labels: {rules}; {ties}{rulings}.",
)
_TIES = Wording(
    "les égalités sont tirées avec la graine {seed} ({drawn})",
    "ties were drawn with seed {seed} ({drawn})",
)
_OTHER_TIES = Wording(
    "les autres sont tirées avec la graine {seed} ({drawn})",
    "other ties were drawn with seed {seed} ({drawn})",
)
_NONE_DRAWN = Wording(
    "aucune égalité n'est restée à tirer (la règle\u00a0: avec la graine {seed})",
    "no tie was left to draw (the rule: with seed {seed})",
)
_NO_OTHER_DRAWN = Wording(
    "aucune autre n'est restée à tirer (la règle\u00a0: avec la graine {seed})",
    "no other was left to draw (the rule: with seed {seed})",
)
_DRAWING = {
    (True, True): _OTHER_TIES,
    (True, False): _NO_OTHER_DRAWN,
    (False, True): _TIES,
    (False, False): _NONE_DRAWN,
}
"""Whether a model was asked before the lot, and whether the lot decided any."""
_NO_TIES = Wording("aucune étiquette n'est tirée au sort", "no label is drawn by lot")
_SETTLED = Wording(
    "une égalité va à la valeur que {model} (crowd-kit {version}) tient pour probable à plus de "
    "{above}\u00a0% ({settled}); ",
    "a tie goes to the value that is more than {above}% probable under {model} (crowd-kit "
    "{version}; {settled}); ",
)
_RULED = Wording(
    "; {settled} par arbitrage, {divided} à bon droit",
    "; {settled} by adjudication, {divided} as legitimately divided",
)
_RULES = {
    "majority": Wording("majorité", "majority"),
    "mean": Wording("moyenne", "mean"),
    "median": Wording("médiane", "median"),
    "severity_adjusted_mean": Wording(
        "moyenne corrigée de la sévérité", "mean adjusted for severity"
    ),
}
_MODELS = {"dawid_skene": "Dawid–Skene", "mace": "MACE"}
_MEASURED = Wording(
    "{metrics} aux moyennes humaines sur {dimension}{reference} ({outputs}), par les corrélations "
    "de Pearson, de Spearman et de Kendall{turned}; {intervals}, et {tested}.",
    "{metrics} held against human means on {dimension}{reference} ({outputs}), by Pearson's, "
    "Spearman's and Kendall's correlations{turned}; {intervals}, and {tested}.",
)
_NO_CORRELATION = Wording(
    "Aucune mesure n'a de corrélation définie avec les moyennes humaines sur "
    "{dimension}{reference} ({outputs})\u00a0: aucune ne leur a été comparée.",
    "No metric has a defined correlation with human means on {dimension}{reference} ({outputs}): "
    "none was held against them.",
)
_CORRELATIONS = ("pearson", "spearman", "kendall")
_TURNED = Wording(
    ", le signe étant retourné là où plus bas est mieux",
    ", with the sign turned where lower is better",
)
_DRAWN = Wording(
    "les intervalles à {confidence}\u00a0% rééchantillonnent les textes originaux ({draws} "
    "tirages, graine {seed})",
    "the {confidence}% intervals resample original texts ({draws} draws, seed {seed})",
)
_UNDRAWN = Wording("aucun intervalle n'a été calculé", "no interval was computed")
_TESTED = Wording(
    "la différence à la meilleure de celles dont un sens est meilleur et que la moitié des sorties "
    "au moins ont est éprouvée par {tests} selon Holm",
    "the difference to the best of those that have a better side and that at least half of the "
    "outputs have is tested by {tests}, after Holm's correction",
)
_TESTS = {
    (True, True): Wording(
        "le test de Williams et par tirages appariés, corrigés",
        "Williams's test and a paired bootstrap",
    ),
    (True, False): Wording("le test de Williams, corrigé", "Williams's test"),
    (False, True): Wording("tirages appariés, corrigés", "a paired bootstrap"),
}
"""Whether some difference has a p by Williams's test, and whether one has by drawing again."""
_EACH_FOR_ITSELF = Wording(
    " (le test de Williams prend chaque sortie pour elle-même, alors que plusieurs sont d'un même "
    "texte original\u00a0: son p est trop petit où elles se ressemblent)",
    " (Williams's test takes each output for itself, although several are of one original text: "
    "its p is too small where these resemble each other)",
)
_UNTESTED = Wording(
    "aucune différence entre mesures n'a été éprouvée", "no difference between metrics was tested"
)
_NONE_BEST = Wording(
    "aucune n'est dite la meilleure, plus haut n'étant ici ni mieux ni moins bien",
    "none is called the best, as higher is neither better nor worse here",
)
_REFERENCES = Wording(
    ", avec pour références les sorties de {systems}",
    ", with the outputs of {systems} as references",
)
_WITHOUT = Wording(
    ", que n'ont pas {outputs}\u00a0: ce qui se compare à une référence y est comparé à "
    "l'original, ou n'y est pas défini",
    ", which {outputs} do not have: what compares with one is compared with the original there, or "
    "is undefined",
)
_ONE_WITHOUT = Wording(
    ", que n'a pas une sortie\u00a0: ce qui se compare à une référence y est comparé à l'original, "
    "ou n'y est pas défini",
    ", which one output does not have: what compares with one is compared with the original there, "
    "or is undefined",
)
_DEVIATIONS = Wording(
    "{number} écarts au plan sont consignés avec leurs raisons.",
    "{number} departures from the plan are recorded with their reasons.",
)
_ONE_DEVIATION = Wording(
    "Un écart au plan est consigné avec sa raison.",
    "One departure from the plan is recorded with its reason.",
)
_SOME_REASONS = Wording(
    "{number} écarts au plan sont consignés, dont {given} avec une raison\u00a0: les autres n'en "
    "ont pas, ou elle concerne une personne.",
    "{number} departures from the plan are recorded, {given} of them with a reason: the others "
    "have none, or it is about a person.",
)
_NO_REASONS = Wording(
    "{number} écarts au plan sont consignés, sans raison : aucune n'a été donnée, ou elle "
    "concerne une personne.",
    "{number} departures from the plan are recorded, without a reason: none was given, or it is "
    "about a person.",
)
_ONE_NO_REASON = Wording(
    "Un écart au plan est consigné, sans raison : aucune n'a été donnée, ou elle concerne "
    "une personne.",
    "One departure from the plan is recorded, without a reason: none was given, or it is about a "
    "person.",
)
_TOOL = Wording(
    "Les jugements ont été recueillis avec Barème; les données sont celles de l'instantané {name} "
    "du {date}.",
    "Judgments were collected with Barème; the data are those of snapshot {name} of {date}.",
)
_IMPORTED_TOOL = Wording(
    "Les chiffres ont été calculés avec Barème, sur l'instantané {name} du {date}.",
    "The figures were computed with Barème, on snapshot {name} of {date}.",
)


def methods(frozen: Frozen) -> Wording:
    """The paragraph, each sentence from the snapshot's own counts and settings."""
    sentences = list(_sentences(frozen))
    return Wording(
        *(" ".join(sentence.get(language) for sentence in sentences) for language in ("fr", "en"))
    )


def methods_text(frozen: Frozen) -> str:
    """METHODS.md: the paragraph in both languages."""
    paragraph = methods(frozen)
    return f"# Methods\n\n## Français\n\n{paragraph.fr}\n\n## English\n\n{paragraph.en}\n"


def _sentences(frozen: Frozen) -> Iterator[Wording]:
    facts = frozen.study
    yield _judged(frozen)
    if frozen.means and not frozen.are_means:
        yield _AMONG.format(number=sum(judge["judgments"] for judge in frozen.means))
    if frozen.judged_here:
        if elsewhere := _people(frozen, "imported"):
            yield _PARTLY.format(people=_annotators(elsewhere))
        together = _BOTH if frozen.headed else _TOGETHER
        yield _CONDITIONS.format(alone=_ALONE if frozen.shown_alone else together)
        arm = facts["study"].get("context_arm", "none")
        if arm in _CONTEXT:
            yield _CONTEXT[arm]
    else:
        yield _IMPORTED
    if unnamed := sum(judge.get("identity") == UNNAMED for judge in frozen.judges):
        yield _IN_ORDER.format(people=_annotators(unnamed))
    practice = facts["rounds"]["practice"]
    if practice["items"] and practice["judgments"] and frozen.judged_here:
        number = practice.get("simplifications", practice["items"])
        pairs = _counted(number, ("paire", "paires"), ("pair", "pairs"))
        yield _PRACTICE.format(pairs=pairs)
    if facts["rounds"]["main"]["judgments"]:
        yield _answers(frozen)
    if waiting := frozen.waiting:
        yield _ONE_WAITING if waiting == 1 else _WAITING.format(number=waiting)
    yield from order_said(frozen)
    yield from quality_said(frozen)
    yield from _agreement(frozen)
    yield from marks_methods(frozen)
    yield _labels(frozen)
    yield from _compared(frozen)
    yield from _measured(frozen)
    yield from _departed(facts.get("deviations", ()))
    tool = _TOOL if frozen.judged_here else _IMPORTED_TOOL
    yield tool.format(name=frozen.name, date=frozen.date)


def _departed(deviations: Sequence[dict[str, Any]]) -> Iterator[Wording]:
    """How many departures from the plan are recorded, and how many of them with a reason that is
    published."""
    number, given = len(deviations), sum(bool(own["reason"].strip()) for own in deviations)
    if number == 1:
        yield _ONE_DEVIATION if given else _ONE_NO_REASON
    elif number:
        said = _SOME_REASONS if given else _NO_REASONS
        yield (_DEVIATIONS if given == number else said).format(number=number, given=given)


def _judged(frozen: Frozen) -> Wording:
    protocol = frozen.study["protocol"]
    source = " ".join(frozen.about.source.split())
    source = f"; {source}" if source else ""
    outputs, texts = _both(frozen)
    said = _AVERAGED if frozen.are_means else _JUDGED
    return said.format(
        people=_have(_people(frozen, "person", "imported")),
        outputs=outputs,
        of=_BESIDE if frozen.headed else _OF,
        texts=texts,
        systems=_systems(frozen),
        title=Wording(protocol["title"]["fr"], protocol["title"]["en"]),
        version=protocol["version"],
        source=source,
    )


def _both(frozen: Frozen) -> tuple[Wording, Wording]:
    """How many were judged, and of how many: simplifications of originals, or texts under the
    headings that their protocol gives them."""
    number, sources = len(frozen.judged), frozen.sources
    if not frozen.headed:
        nouns = ("simplification", "simplifications")
        originals = ("texte original", "textes originaux"), ("original text", "original texts")
        return _counted(number, nouns, nouns), _counted(sources, *originals)
    beside, judged = frozen.headed
    return _headed(number, judged), _headed(sources, beside)


def _headed(number: int, heading: Wording) -> Wording:
    texts = _counted(number, ("texte", "textes"), ("text", "texts"))
    return Wording(f"{texts.fr} («\u00a0{heading.fr}\u00a0»)", f"{texts.en} (“{heading.en}”)")


def _people(frozen: Frozen, *kinds: str) -> int:
    """How many of these kinds judged something; what is the mean of several is nobody."""
    return sum(a["kind"] in kinds and a not in frozen.means for a in frozen.judges)


def _annotators(number: int) -> Wording:
    return _counted(number, ("personne", "personnes"), ("annotator", "annotators"))


def _have(people: int) -> Wording:
    """«5 personnes ont», “5 annotators”."""
    named = _annotators(people)
    return Wording(f"{named.fr} {'ont' if people > 1 else 'a'}", named.en)


def _systems(frozen: Frozen) -> Wording:
    outputs = frozen.rows("simplifications")
    names = [row.get("system", "") for row in outputs if row["simplification_key"] in frozen.judged]
    named, unnamed = {*names} - {""}, names.count("")
    if not frozen.has_systems or not named:
        return NO_WORDING
    number = _counted(len(named), ("système", "systèmes"), ("system", "systems"))
    if not unnamed:
        return Wording(f" par {number.fr}", f" by {number.en}")
    return Wording(
        f" par {number.fr} ({unnamed} sans nom de système)",
        f" by {number.en} ({unnamed} without a system's name)",
    )


def _answers(frozen: Frozen) -> Wording:
    numbers = frozen.answers_each or [0]
    low, high = numbers[0], numbers[-1]
    span = Wording(str(low), str(low))
    if low != high:
        span = Wording(f"{low} à {high}", f"{low} to {high}")
    seconds = [
        row["active_seconds"] for row in frozen.rows("judgments") if row.get("active_seconds")
    ]
    timed = NO_WORDING
    if seconds:
        unit = _counted(round(median(seconds)), ("seconde", "secondes"), ("second", "seconds"))
        timed = _SECONDS.format(seconds=Wording(unit.fr.replace(" ", "\u00a0"), unit.en))
    return _ANSWERS.format(
        judgments=_counted(sum(numbers), ("jugement", "jugements"), ("judgment", "judgments")),
        each=span,
        output=_OF_TEXTS if frozen.headed else _OF_SIMPLIFICATIONS,
        seconds=timed,
    )


def _reports(frozen: Frozen) -> list[tuple[str, dict[str, Any]]]:
    """The name and report of every dimension whose alpha is defined. Snapshots of before gave 0 of
    a single pair, whatever people answered."""
    reports = frozen.agreement["dimensions"]
    named = [(dimension["name"], reports[dimension["name"]]) for dimension in frozen.dimensions]
    return [
        (name, report)
        for name, report in named
        if report["alpha"][report["fitting"]] is not None and report["n"]["pairable_items"] > 1
    ]


def _agreement(frozen: Frozen) -> Iterator[Wording]:
    """Every defined alpha; a sentence for each kind of interval, the one to prefer first."""
    recipe = frozen.manifest["recipe"]
    quoted: dict[tuple[str, bool], list[Wording]] = {kind: [] for kind in _QUOTED}
    for name, report in _reports(frozen):
        of = _quoted(report)
        quoted[of, _left_out(report, of)].append(_alpha(frozen, name, report, _ends(report, of)))
    kinds = [kind for kind in _QUOTED if quoted[kind]]
    for kind in kinds:
        interval = _QUOTED[kind].format(
            confidence=f"{100 * recipe['confidence']:g}", draws=recipe["draws"], seed=recipe["seed"]
        )
        said = _AGREEMENT if kind == kinds[0] else _OTHER_QUESTIONS
        yield said.format(
            interval=NO_WORDING if kinds == [(NONE, False)] else interval,
            values=_joined(quoted[kind]),
        )
    if frozen.study["rounds"]["main"]["judgments"] and (without := _without_alpha(frozen)):
        yield _NO_ALPHA.format(questions=_joined(without))


def _without_alpha(frozen: Frozen) -> list[Wording]:
    """«simplicité, sens juridique (une seule personne a jugé)»: the questions whose alpha is not
    quoted since it is not defined, by the reason."""
    reports, defined = frozen.agreement["dimensions"], dict(_reports(frozen))
    by_reason: dict[tuple[str, str], list[Wording]] = {}
    for dimension in frozen.rated:
        name = dimension["name"]
        if name in defined:
            continue
        said = reports[name]["undefined"].get(f"alpha.{reports[name]['fitting']}")
        if said and frozen.are_means:
            said = {"fr": _MEANS_ALONE.fr, "en": _MEANS_ALONE.en}
        # Snapshots of before gave 0 of a single pair, with no reason.
        reason = (said["fr"], said["en"]) if said else (ONE_UNIT.fr, ONE_UNIT.en)
        by_reason.setdefault(reason, []).append(frozen.label_wording(name))
    return [
        Wording(
            f"{', '.join(label.fr for label in labels)} ({_within(fr).replace(' :', _COLON)})",
            f"{', '.join(label.en for label in labels)} ({_within(en)})",
        )
        for (fr, en), labels in by_reason.items()
    ]


def _within(sentence: str) -> str:
    """As it stands in another sentence."""
    return (sentence[:1].lower() + sentence[1:]).rstrip(".")


def _quoted(report: dict[str, Any]) -> str:
    """Which interval of a dimension's alpha is quoted: one of those in ``_QUOTED``."""
    kind = next(
        (kind for kind in ("other_annotators", "other_sources", ITEMS) if _ends(report, kind)), NONE
    )
    # Snapshots of before do not say whether pairs share texts.
    shared = (report.get("other_sources") or {}).get("shared", False)
    return OF_THESE_TEXTS if kind == ITEMS and shared else kind


def _left_out(report: dict[str, Any], kind: str) -> bool:
    """Whether texts were left out in turn for this interval, as its method says: of many texts they
    are drawn alone, and the one for other annotators takes over their error."""
    if kind not in ("other_annotators", "other_sources"):
        return False
    # What does not say how it was made is told as it was before.
    method = (report.get("other_sources") or {}).get("method", WIDENED)
    return bool(method == WIDENED)


def _ends(report: dict[str, Any], kind: str) -> list[float] | None:
    """Of the fitting alpha; None where it has no such interval."""
    if kind in (ITEMS, OF_THESE_TEXTS):
        bounds = report["intervals"]["alpha"]
        return bounds[report["fitting"]] if bounds else None
    estimate = report.get(kind)
    return estimate["interval"] if estimate else None


def _alpha(
    frozen: Frozen, name: str, report: dict[str, Any], ends: Sequence[float] | None
) -> Wording:
    """«sens juridique .32 [.26; .38]»."""
    figures = [f"{figure:z.2f}" for figure in (report["alpha"][report["fitting"]], *(ends or ()))]
    interval = f" [{figures[1]}; {figures[2]}]" if ends else ""
    en = f" {figures[0]}{interval}"
    return Wording(
        f"{frozen.label(name, 'fr')}{en.replace('.', ',')}", f"{frozen.label(name, 'en')}{en}"
    )


def _labels(frozen: Frozen) -> Wording:
    recipe = frozen.manifest["recipe"]["labels"]
    rules = [
        Wording(
            *(
                f"{frozen.label(dimension['name'], language)}, "
                f"{_RULES[recipe['rules'][dimension['name']]].get(language)}"
                for language in ("fr", "en")
            )
        )
        for dimension in frozen.rated
    ]
    return _LABELS.format(rules=_joined(rules), ties=_ties(frozen), rulings=_rulings(frozen))


def _ties(frozen: Frozen) -> Wording:
    """What became of them. Who settled or ruled on each has left none to draw."""
    if not frozen.has_ties:
        return _NO_TIES
    settled = _settled(frozen)
    said = _DRAWING[settled != NO_WORDING, bool(frozen.drawn)].format(
        seed=frozen.manifest["recipe"]["labels"]["seed"],
        drawn=_counted(len(frozen.drawn), ("tirage", "tirages"), ("draw", "draws")),
    )
    return Wording(settled.fr + said.fr, settled.en + said.en)


def _settled(frozen: Frozen) -> Wording:
    """Who was asked before the lot, and how many ties that settled; nothing where nobody was."""
    models = list(frozen.agreement.get("models", {}).values())
    if not models:
        return NO_WORDING
    rows = frozen.rows("labels")
    number = sum(row["provenance"] == Provenance.POSTERIOR for row in rows)
    return _SETTLED.format(
        model=_MODELS[models[0]["method"]],
        version=models[0]["package"],
        above=f"{100 * SETTLED_ABOVE:.0f}",
        settled=_counted(number, ("égalité", "égalités"), ("tie", "ties")),
    )


def _rulings(frozen: Frozen) -> Wording:
    """How many labels people ruled on; nothing where none."""
    rulings = [row["adjudication"] for row in frozen.rows("labels") if row.get("adjudication")]
    if not rulings:
        return NO_WORDING
    divided = rulings.count("divided")
    held = "tenues pour divisées" if divided > 1 else "tenue pour divisée"
    return _RULED.format(
        settled=len(rulings) - divided, divided=Wording(f"{divided} {held}", str(divided))
    )


def _compared(frozen: Frozen) -> Iterator[Wording]:
    """How systems were compared, and the mixed models that were fitted; nothing where they were
    not."""
    if not frozen.compares_systems:
        return
    facts, settings = frozen.systems, frozen.systems["settings"]
    yield systems_methods(
        facts["dimensions"],
        systems=len(facts["systems"]),
        drawn=Drawn(settings["draws"], settings["seed"], settings["confidence"]),
        labels={name: frozen.label_wording(name) for name in facts["dimensions"]},
    )
    yield from _mixed(frozen)


def _measured(frozen: Frozen) -> Iterator[Wording]:
    """How metrics were held against people, report by report; baselines are not counted."""
    for report in frozen.metrics.get("reports", ()):
        facts = {
            "dimension": frozen.label_wording(report["dimension"]),
            "reference": _references(report),
            "outputs": _outputs(report["n"]),
        }
        lines = [line for line in report["lines"] if line["n"] > 0 and not line["is_baseline"]]
        figures = [line["figures"][name] for line in lines for name in _CORRELATIONS]
        if all(figure["value"] is None for figure in figures):
            yield _NO_CORRELATION.format(**facts)
            continue
        drawn = any(figure["low"] is not None for figure in figures)
        yield _MEASURED.format(
            **facts,
            metrics=_held(len(lines)),
            turned=_TURNED if _has_turned(report) else NO_WORDING,
            intervals=(_DRAWN if drawn else _UNDRAWN).format(
                confidence=f"{100 * report['confidence']:g}",
                draws=report["draws"],
                seed=report["seed"],
            ),
            tested=_tested(report),
        )


def _references(report: Mapping[str, Any]) -> Wording:
    """What the outputs were compared with, and how many could not be."""
    if not report["reference"]:
        return NO_WORDING
    named = _REFERENCES.format(systems=report["reference"])
    # Reports of before do not say it.
    number = report.get("without_reference", 0)
    without = _ONE_WITHOUT if number == 1 else _WITHOUT.format(outputs=_outputs(number))
    return Wording(named.fr + without.fr, named.en + without.en) if number else named


def _outputs(number: int) -> Wording:
    return _counted(number, ("sortie", "sorties"), ("output", "outputs"))


def _held(metrics: int) -> Wording:
    """«5 mesures ont été comparées», “5 metrics were”."""
    named = _counted(metrics, ("mesure", "mesures"), ("metric", "metrics"))
    compared = "ont été comparées" if metrics > 1 else "a été comparée"
    return Wording(f"{named.fr} {compared}", f"{named.en} {'was' if metrics == 1 else 'were'}")


def _tested(report: Mapping[str, Any]) -> Wording:
    """How differences to the best metric were, or that they were not."""
    if report.get("better") == Better.NEITHER:
        return _NONE_BEST
    versus = [line["versus"] for line in report["lines"] if line["versus"]]
    by = tuple(any(row[p] is not None for row in versus) for p in ("p", "p_bootstrap"))
    if by not in _TESTS:
        return _UNTESTED
    said = _TESTED.format(tests=_TESTS[by])
    if not by[0] or report["sources"] == report["n"]:
        return said
    return Wording(said.fr + _EACH_FOR_ITSELF.fr, said.en + _EACH_FOR_ITSELF.en)


def _has_turned(report: Mapping[str, Any]) -> bool:
    """Whether lower is better on a metric, or on the human scale."""
    return report.get("better") == Better.LOWER or any(map(is_turned, report["lines"]))


def _mixed(frozen: Frozen) -> Iterator[Wording]:
    """Each dimension's mixed models, which differ in their counts."""
    facts = frozen.systems
    said = [report["methods"] for report in facts["mixed"].values() if report.get("methods")]
    # The same models of several dimensions differ in their counts: each is told.
    for name, report in facts["mixed"].items():
        if report.get("methods"):
            label = frozen.label_wording(name)
            wording = Wording(
                f"({label.fr}) {report['methods']['fr']}",
                f"({label.en}) {report['methods']['en']}",
            )
            yield wording if len(said) > 1 else Wording(**report["methods"])


def _joined(parts: list[Wording]) -> Wording:
    return Wording(*("; ".join(part.get(language) for part in parts) for language in ("fr", "en")))


def _counted(number: int, fr: tuple[str, str], en: tuple[str, str]) -> Wording:
    """A number with its noun; in French 0 is singular."""
    return Wording(f"{number} {fr[number > 1]}", f"{number} {en[number != 1]}")
