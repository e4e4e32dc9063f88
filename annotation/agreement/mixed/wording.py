"""Why a mixed model says nothing, what it would take, and what has to be known beside it."""

from __future__ import annotations

from annotation.protocols.base import Wording

ABSENT = Wording(
    "statsmodels n'est pas installé là où les modèles se calculent\u00a0: les modèles mixtes des "
    "systèmes manquent. Une personne qui administre Barème l'ajoute par «\u00a0make crowd\u00a0».",
    "statsmodels is not installed where models are computed: the mixed models of systems are "
    "missing. Whoever runs Barème adds it by “make crowd”.",
)
NO_ORDER = Wording(
    "Sans objet\u00a0: les valeurs n'ont pas d'ordre, et un modèle mixte de points ou de seuils en "
    "demande un.",
    "Does not apply: the values have no order, and a mixed model of points or thresholds takes "
    "one.",
)
ONE_SYSTEM = Wording(
    "Un seul système («\u00a0{system}\u00a0») a été jugé\u00a0: il n'y a aucune différence à "
    "estimer. Il faudrait un second système sur les mêmes textes.",
    "Only one system (“{system}”) was judged: there is no difference to estimate. It would take a "
    "second system on the same texts.",
)
ONE_ANNOTATOR = Wording(
    "Une seule personne a jugé\u00a0: sa sévérité ne se distingue pas des textes. Il faudrait au "
    "moins deux personnes sur les mêmes sorties.",
    "Only one person judged: their severity cannot be told from the texts. It would take at least "
    "two people on the same outputs.",
)
TOO_FEW = Wording(
    "Trop peu de jugements\u00a0: {ratings} jugements de {outputs} sorties par {annotators} "
    "personnes ne suffisent pas à séparer {systems} systèmes, les textes et la sévérité. Il "
    "faudrait plus de textes par système.",
    "Too few judgments: {ratings} judgments of {outputs} outputs by {annotators} people do not "
    "suffice to tell {systems} systems, texts and severity apart. It would take more texts for "
    "each system.",
)
ALL_EQUAL = Wording(
    "Toutes les réponses sont la même\u00a0: il n'y a aucune dispersion à répartir.",
    "All answers are the same: there is no variance to divide.",
)
NO_REST = Wording(
    "Sévérité et sorties expliquent chaque réponse sans reste\u00a0: rien ne dit de combien les "
    "différences pourraient varier.",
    "Severity and outputs explain every answer with nothing left: nothing tells by how much the "
    "differences might vary.",
)
NOT_SEPARABLE = Wording(
    "Qui a jugé, quel texte et quel système ne se croisent pas assez pour être séparés. Il "
    "faudrait que les mêmes personnes jugent plusieurs systèmes et plusieurs textes.",
    "Who judged, which text and which system do not cross enough to be told apart. It would take "
    "the same people on several systems and several texts.",
)
NOT_CONVERGED = Wording(
    "Le calcul n'a pas trouvé de maximum de vraisemblance\u00a0: aucune estimation n'est donnée. "
    "Les comparaisons de la page «\u00a0Systèmes côte à côte\u00a0» n'en dépendent pas.",
    "The computation did not find a maximum of the likelihood: no estimate is given. The "
    "comparisons of the page “Systems side by side” do not depend on it.",
)
TOO_LARGE = Wording(
    "Trop grand pour ce modèle\u00a0: {ratings} jugements et {levels} personnes, textes et sorties "
    "prendraient des heures. Rien n'est tiré au sort pour l'alléger; les comparaisons de la page "
    "«\u00a0Systèmes côte à côte\u00a0» n'ont pas cette limite.",
    "Too large for this model: {ratings} judgments and {levels} annotators, texts and outputs "
    "would take hours. No sample is drawn to lighten it; the comparisons of the page “Systems side "
    "by side” have no such limit.",
)
AT_ZERO = {
    "annotators": Wording(
        "La variance entre personnes est estimée à 0, à la limite du possible\u00a0: ces données "
        "ne montrent aucune différence de sévérité, sans prouver qu'il n'y en a pas.",
        "The variance between annotators is estimated as 0, its boundary: these data show no "
        "difference in severity, which does not prove that there is none.",
    ),
    "tastes": Wording(
        "La variance des préférences des personnes entre systèmes est estimée à 0, à la limite du "
        "possible\u00a0: ces données ne montrent pas que quelqu'un juge un système plus sévèrement "
        "qu'un autre.",
        "The variance of annotators' tastes for systems is estimated as 0, its boundary: these "
        "data do not show that anybody judges one system more severely than another.",
    ),
    "sources": Wording(
        "La variance entre textes originaux est estimée à 0, à la limite du possible\u00a0: ces "
        "données ne montrent pas que les sorties d'un même texte se ressemblent.",
        "The variance between original texts is estimated as 0, its boundary: these data do not "
        "show that outputs of one text are alike.",
    ),
    "items": Wording(
        "La variance entre sorties est estimée à 0, à la limite du possible\u00a0: au-delà du "
        "système, du texte et de la personne, ces données ne montrent rien qui tienne à la sortie.",
        "The variance between outputs is estimated as 0, its boundary: beyond system, text and "
        "annotator these data show nothing that is the output's own.",
    ),
}
NO_SOURCES = Wording(
    "Presque chaque texte n'a qu'une sortie\u00a0: textes et sorties ne se distinguent pas et "
    "comptent ensemble.",
    "Nearly every text has one output only: texts and outputs cannot be told apart and count as "
    "one.",
)
NO_ITEMS = Wording(
    "Aucune sortie n'a été jugée deux fois\u00a0: ce qui tient à la sortie fait partie du reste.",
    "No output was judged twice: what is the output's own is part of the rest.",
)
CLIMBED = Wording(
    "La recherche de statsmodels s'est arrêtée à côté du maximum de vraisemblance : les "
    "scores de Fisher, calculés par Barème, y ont mené.",
    "The search of statsmodels ended beside the maximum of the likelihood: Fisher's scoring, "
    "computed by Barème, led to it.",
)
NO_INTERVAL_AT_ZERO = Wording(
    "Pas d'intervalle\u00a0: la variance est estimée à 0.",
    "No interval: the variance is estimated as 0.",
)
NO_INTERVAL_VAGUE = Wording(
    "Pas d'intervalle\u00a0: cette variance repose sur moins d'un degré de liberté.",
    "No interval: this variance rests on less than one degree of freedom.",
)
# --- Of the ordinal model alone.
NOT_ORDINAL = Wording(
    "Sans objet\u00a0: {values} valeurs différentes ont été données, et le modèle ordinal en prend "
    "{most} au plus. Le modèle linéaire convient à une telle échelle.",
    "Does not apply: {values} different values were given, and the ordinal model takes {most} at "
    "most. The linear model suits such a scale.",
)
NO_COMMON_PERSON = Wording(
    "Les systèmes et les personnes ne sont pas tous reliés\u00a0: il faudrait que des personnes "
    "jugent plusieurs systèmes, de l'un à l'autre.",
    "Systems and annotators are not all connected: it would take people who judge several "
    "systems, from one to the next.",
)
SEPARATED_ANNOTATORS = Wording(
    "N'ont donné que la réponse la plus basse ou la plus haute\u00a0: {people}. Aucun seuil fini "
    "ne leur convient; leurs réponses n'apprennent rien de la différence entre systèmes et sont "
    "laissées de côté.",
    "Gave only the lowest or the highest answer: {people}. No finite threshold fits them; their "
    "answers tell nothing of the difference between systems and are left out.",
)
SEPARATED_SYSTEM = Wording(
    "Le système «\u00a0{system}\u00a0» n'a reçu que la réponse la plus basse ou la plus "
    "haute\u00a0: aucun effet fini ne lui convient.",
    "The system “{system}” got only the lowest or the highest answer: no finite effect fits it.",
)
SEPARATED = Wording(
    "Les réponses séparent les systèmes ou les personnes sans recouvrement\u00a0: au moins un "
    "effet du modèle ordinal serait infini. Il faudrait des réponses qui se recoupent.",
    "Answers tell systems or annotators apart without overlap: at least one effect of the ordinal "
    "model would be infinite. It would take answers that overlap.",
)
# --- Of thresholds of each annotator's own.
FEW_OWN_THRESHOLDS = Wording(
    "Des seuils propres à chaque personne ne peuvent pas s'estimer\u00a0: il faudrait au moins "
    "deux personnes qui aient {fewest} réponses ou plus des deux côtés d'un seuil, et il y en a "
    "{people}. Le modèle aux seuils déplacés en demande moins.",
    "Thresholds of each annotator's own cannot be estimated: it would take at least two annotators "
    "with {fewest} answers or more on both sides of a threshold, and there are {people}. The model "
    "with moved thresholds asks for less.",
)
WITHOUT_OWN_THRESHOLDS = Wording(
    "N'ont pas {fewest} réponses des deux côtés d'un même seuil et sont laissées de côté\u00a0: "
    "{people}.",
    "Do not have {fewest} answers on both sides of any threshold and are left out: {people}.",
)
VALUES_TOGETHER = Wording(
    "Là où une personne a moins de {fewest} réponses entre deux seuils, des valeurs voisines "
    "comptent ensemble pour elle seule\u00a0: {people}.",
    "Where an annotator has fewer than {fewest} answers between two thresholds, neighbouring "
    "values count together for them alone: {people}.",
)
OWN_FITS = Wording(
    "Des seuils propres à chaque personne décrivent ces réponses mieux que les seuils communs "
    "déplacés (AIC {own} contre {moved}; coefficients en plus\u00a0: {more})\u00a0: les "
    "personnes n'emploient pas l'échelle de la même façon.",
    "Thresholds of each annotator's own describe these answers better than the common ones moved "
    "(AIC {own} against {moved}; further coefficients: {more}): annotators do not use the scale "
    "alike.",
)
SHIFT_FITS = Wording(
    "Les seuils communs déplacés suffisent à décrire ces réponses (AIC {moved}, contre {own}; "
    "coefficients en plus\u00a0: {more})\u00a0: rien ne montre que les personnes emploient "
    "l'échelle autrement que plus ou moins sévèrement.",
    "The common thresholds moved suffice to describe these answers (AIC {moved}, against {own}; "
    "further coefficients: {more}): nothing shows that annotators use the scale otherwise than "
    "more or less strictly.",
)
NEITHER_FITS_CLEARLY = Wording(
    "L'AIC ne tranche pas entre des seuils propres à chaque personne ({own}) et les seuils communs "
    "déplacés ({moved}; coefficients en plus\u00a0: {more})\u00a0: il faudrait une différence de "
    "10 ou plus.",
    "AIC does not decide between thresholds of each annotator's own ({own}) and the common ones "
    "moved ({moved}; further coefficients: {more}): it would take a difference of 10 or more.",
)
NO_MORE_THRESHOLDS = Wording(
    "Ces réponses ne portent pas plus de seuils propres qu'un simple déplacement n'en "
    "demande\u00a0: les deux modèles se confondent ici.",
    "These answers bear no more thresholds of one's own than a mere shift asks for: both models "
    "are one here.",
)
