"""Why something cannot be concluded about systems, and what it would take."""

from __future__ import annotations

from annotation.protocols.base import Wording

NO_SYSTEM = Wording(
    "Aucune simplification jugée ne porte le nom d'un système\u00a0: il n'y a rien à "
    "comparer. Donnez un "
    "nom de système aux simplifications lors de l'importation.",
    "No judged output bears the name of a system: there is nothing to compare. Name the system of "
    "each output when they are imported.",
)
NOT_ANSWERED = Wording(
    "Cette question n'a reçu de réponse pour aucune simplification qui porte le nom d'un "
    "système\u00a0: il n'y a rien à comparer.",
    "This question has no answer for any output that bears the name of a system: there is nothing "
    "to compare.",
)
ONE_SYSTEM = Wording(
    "Un seul système («\u00a0{system}\u00a0») a été jugé\u00a0: on peut le décrire, mais "
    "pas dire s'il est "
    "meilleur qu'un autre. Il faudrait qu'un second système simplifie les mêmes textes et que les "
    "mêmes personnes jugent les deux.",
    "Only one system (“{system}”) was judged: it can be described, but not called better than "
    "another. It would take a second system on the same texts, judged by the same people.",
)
NO_RATING_OF_SYSTEM = Wording(
    "Aucun jugement de ce système.", "There is no judgment of this system."
)
NO_COMMON_SOURCE = Wording(
    "Aucun texte original n'a de simplification jugée de chacun de ces deux systèmes\u00a0: une "
    "différence entre eux ne se distingue pas d'une différence entre leurs textes. Il faudrait que "
    "les deux simplifient les mêmes textes et y soient jugés.",
    "No original text has a judged output of both these systems: a difference between them cannot "
    "be told from a difference between their texts. It would take judged outputs of both for the "
    "same texts.",
)
NO_ANSWER = Wording(
    "Cette question n'a reçu aucune réponse pour ces deux systèmes\u00a0: il n'y a rien à "
    "comparer.",
    "This question has no answer for either of these systems: there is nothing to compare.",
)
NO_ANSWER_OF = Wording(
    "Cette question n'a reçu aucune réponse pour «\u00a0{system}\u00a0»\u00a0: il n'y a rien à "
    "comparer.",
    "This question has no answer for “{system}”: there is nothing to compare.",
)
NO_COMMON_ANSWER = Wording(
    "Cette question n'a reçu de réponse pour les deux systèmes sur aucun de leurs textes "
    "communs\u00a0: une différence entre eux ne se distingue pas d'une différence entre les "
    "textes. Il faudrait des réponses pour les deux sur les mêmes textes.",
    "On none of the texts they share was this question answered for both systems: a difference "
    "between them cannot be told from a difference between the texts. It would take answers for "
    "both on the same texts.",
)
NO_COMMON_PERSON = Wording(
    "Personne n'a jugé les deux systèmes sur leurs textes communs\u00a0: une différence "
    "entre eux ne "
    "se distingue pas d'une différence de sévérité entre les personnes. Il faudrait que quelqu'un "
    "juge les deux.",
    "Nobody judged both systems on the texts they share: a difference between them cannot be told "
    "from a difference in people's severity. It would take somebody who judges both.",
)
FEW_SOURCES = Wording(
    "Pas d'intervalle\u00a0: il faut au moins {fewest} textes originaux, il y en a {sources}.",
    "No interval: it takes at least {fewest} original texts, and there are {sources}.",
)
FEW_PEOPLE = Wording(
    "Pas d'intervalle pour d'autres personnes\u00a0: il en faudrait au moins {fewest} qui aient "
    "jugé, il y en a {people}.",
    "No interval for other people: it would take at least {fewest} who judged, and there are "
    "{people}.",
)
FEW_WHO_JUDGED_BOTH = Wording(
    "Pas d'intervalle pour d'autres personnes\u00a0: il en faudrait au moins {fewest} qui aient "
    "jugé les deux systèmes sur un même texte, il y en a {people}.",
    "No interval for other people: it would take at least {fewest} who judged both systems on one "
    "text, and there are {people}.",
)
FEW_COMPARED = Wording(
    "Pas d'intervalle pour d'autres personnes\u00a0: il en faudrait au moins {fewest} dont les "
    "réponses entrent dans la différence, il y en a {people}.",
    "No interval for other people: it would take at least {fewest} whose answers are in the "
    "difference, and there are {people}.",
)
NO_VARIATION = Wording(
    "Pas d'intervalle\u00a0: tous les textes donnent la même valeur, rien ne dit de combien elle "
    "pourrait varier.",
    "No interval: every text gives the same value, and nothing tells by how much it might vary.",
)
NO_DIFFERENCE = Wording(
    "Pas de test\u00a0: les deux systèmes ont reçu les mêmes réponses sur chaque texte, rien ne "
    "les distingue.",
    "No test: both systems got the same answers on every text, and nothing tells them apart.",
)
FEW_FOR_TEST = Wording(
    "Pas de test\u00a0: seulement {sources} textes distinguent ces systèmes. Même si tous "
    "penchaient du même côté, p ne pourrait descendre sous {smallest}; il en faut "
    "au moins 6.",
    "No test: only {sources} texts tell these systems apart. Even if all of them leaned to one "
    "side, p could not fall below {smallest}; it takes at least 6.",
)
ONE_FOR_TEST = Wording(
    "Pas de test\u00a0: un seul texte distingue ces systèmes. p ne pourrait être que de "
    "{smallest}; il en faut au moins 6.",
    "No test: only one text tells these systems apart. p could be nothing but {smallest}; it takes "
    "at least 6.",
)
NO_MEAN = Wording(
    "Sans objet\u00a0: les valeurs n'ont pas d'ordre, seules leurs parts se comparent.",
    "Does not apply: the values have no order, only their shares can be compared.",
)
NO_RANKS_CLASSES = Wording(
    "Pas de rangs\u00a0: les valeurs n'ont pas d'ordre.",
    "No ranks: the values have no order.",
)
NO_RANKS_NEITHER = Wording(
    "Pas de rangs\u00a0: d'après le protocole, plus haut n'est ici ni mieux ni moins bien.",
    "No ranks: by the protocol, higher is neither better nor worse here.",
)
NO_RANKS_SOURCES = Wording(
    "Pas de rangs\u00a0: aucun texte original n'a de simplification jugée de chacun des systèmes.",
    "No ranks: no original text has a judged output of every system.",
)
NO_RANKS_UNANSWERED = Wording(
    "Pas de rangs\u00a0: sur aucun texte original cette question n'a reçu de réponse pour chacun "
    "des systèmes.",
    "No ranks: on no original text was this question answered for every system.",
)
NO_RANKS_PEOPLE = Wording(
    "Pas de rangs\u00a0: certains systèmes n'ont été jugés sur leurs textes communs par personne "
    "qui ait jugé les deux, et ne se comparent pas entre eux.",
    "No ranks: some systems cannot be compared with each other, since nobody judged both on the "
    "texts they share.",
)
NO_RANKS_AGAINST_TESTS = Wording(
    "Pas de rangs\u00a0: les moyennes classeraient les systèmes autrement que les tests. Ces "
    "moyennes mêlent aux systèmes la sévérité des personnes qui les ont jugés; les tests suivent "
    "les différences que chaque personne fait elle-même, et disent le contraire. Restent les "
    "places que les tests laissent possibles.",
    "No ranks: the means would order the systems otherwise than the tests do. These means mix in "
    "how severe the people are who judged each system; the tests go by the differences that people "
    "make themselves, and say the opposite. What stands are the places that the tests leave "
    "possible.",
)
NO_RANKS_OTHER_TEXTS = Wording(
    "Pas de rangs\u00a0: les moyennes classeraient les systèmes autrement que les tests. Ces "
    "moyennes ne portent que sur les textes communs à tous les systèmes (au nombre de {sources}); "
    "les tests portent sur tous les textes communs aux deux systèmes qu'ils comparent, et disent "
    "le contraire. Restent les places que les tests laissent possibles.",
    "No ranks: the means would order the systems otherwise than the tests do. These means are over "
    "the texts of all systems only ({sources} in number); the tests are over all texts that the "
    "two systems compared share, and say the opposite. What stands are the places that the tests "
    "leave possible.",
)
NO_RANKS_OTHER_TEXTS_AND_PEOPLE = Wording(
    "Pas de rangs\u00a0: les moyennes classeraient les systèmes autrement que les tests. Ces "
    "moyennes ne portent que sur les textes communs à tous les systèmes (au nombre de {sources}) "
    "et mêlent aux systèmes la sévérité des personnes qui les ont jugés; les tests portent sur "
    "tous les textes communs aux deux systèmes qu'ils comparent, suivent les différences que "
    "chaque personne fait elle-même, et disent le contraire. Restent les places que les tests "
    "laissent possibles.",
    "No ranks: the means would order the systems otherwise than the tests do. These means are over "
    "the texts of all systems only ({sources} in number), and mix in how severe the people are who "
    "judged each system; the tests are over all texts that the two systems compared share, go by "
    "the differences that people make themselves, and say the opposite. What stands are the places "
    "that the tests leave possible.",
)
# --- Said beside figures that stand.
ONE_PERSON = Wording(
    "Une seule personne a jugé\u00a0: ce qui suit dit ce qu'elle préfère, non ce que d'autres "
    "préféreraient. Il faudrait au moins deux autres personnes sur les mêmes textes.",
    "Only one person judged: what follows says what they prefer, not what others would. It would "
    "take at least two more people on the same texts.",
)
UNNAMED = Wording(
    "{outputs} simplifications jugées ne portent le nom d'aucun système; elles ne sont pas "
    "comptées ici.",
    "{outputs} judged outputs bear the name of no system; they are not counted here.",
)
ONE_UNNAMED = Wording(
    "Une simplification jugée ne porte le nom d'aucun système; elle n'est pas comptée ici.",
    "One judged output bears the name of no system; it is not counted here.",
)
DIFFERENT_PEOPLE = Wording(
    "Sur {number} des {sources} textes communs, personne n'a jugé les deux "
    "simplifications\u00a0: on y compare les réponses de personnes différentes, et leur sévérité "
    "fait partie de la différence.",
    "On {number} of the {sources} common texts nobody judged both outputs: there the answers of "
    "different people are compared, and their severity is part of the difference.",
)
DIFFERENT_SOURCES = Wording(
    "Les systèmes n'ont pas été jugés sur les mêmes textes\u00a0: leurs moyennes et leurs parts ne "
    "se comparent pas directement. Les différences, elles, ne portent que sur les textes communs.",
    "The systems were not judged on the same texts: their means and shares cannot be compared as "
    "they stand. The differences are over common texts only.",
)
DIFFERENT_SOURCES_CLASSES = Wording(
    "Les systèmes n'ont pas été jugés sur les mêmes textes\u00a0: leurs parts ne se comparent pas "
    "directement. Les comparaisons deux à deux, elles, ne portent que sur les textes communs.",
    "The systems were not judged on the same texts: their shares cannot be compared as they stand. "
    "What is said of two of them is over common texts only.",
)
DIFFERENT_ANSWERED = Wording(
    "Cette question n'a pas reçu de réponse sur les mêmes textes d'un système à l'autre (elle "
    "n'est peut-être posée que selon d'autres réponses)\u00a0: leurs moyennes et leurs parts ne se "
    "comparent pas directement. Les différences, elles, ne portent que sur les textes communs.",
    "This question was not answered on the same texts for every system (perhaps other answers "
    "decide whether it is put): their means and shares cannot be compared as they stand. The "
    "differences are over common texts only.",
)
DIFFERENT_ANSWERED_CLASSES = Wording(
    "Cette question n'a pas reçu de réponse sur les mêmes textes d'un système à l'autre (elle "
    "n'est peut-être posée que selon d'autres réponses)\u00a0: leurs parts ne se comparent pas "
    "directement. Les comparaisons deux à deux, elles, ne portent que sur les textes communs.",
    "This question was not answered on the same texts for every system (perhaps other answers "
    "decide whether it is put): their shares cannot be compared as they stand. What is said of two "
    "of them is over common texts only.",
)
ALL_EQUAL = Wording(
    "Toutes les réponses sont la même\u00a0: sur cette question, rien ne distingue les "
    "systèmes ni les "
    "textes, et on ne sait pas si l'échelle aurait permis de le faire.",
    "All answers are the same: on this question nothing tells systems or texts apart, and whether "
    "the scale could have is not known.",
)
WITHOUT_FLAGGED = Wording(
    "Ces tests sont à part\u00a0: ils ont été décidés après coup, au vu des réponses, et sont "
    "exploratoires. Leur correction de Holm porte sur eux seuls, et non sur ceux d'avant.",
    "These tests are apart: they were decided after the fact, on what the answers showed, and are "
    "exploratory. Holm's correction for them is over them alone, not over those before.",
)
FEW_FLAGGED = Wording(
    "Trop peu\u00a0: il faut au moins {fewest} simplifications avec ce signe et autant sans.",
    "Too few: it takes at least {fewest} outputs with this flag and as many without.",
)
NO_VARIANCE = Wording(
    "Sans objet\u00a0: toutes les simplifications ont la même moyenne.",
    "Does not apply: all outputs have the same mean.",
)
SEVERITY_OF_ONE = Wording(
    "Une seule personne a jugé : sa sévérité ne se distingue pas des textes. Il en faudrait au "
    "moins deux.",
    "Only one person judged: their severity cannot be told from the texts. It would take two.",
)
APART_PEOPLE = Wording(
    "Les personnes forment des groupes sans sortie jugée en commun : leurs sévérités ne se "
    "comparent pas. Il faudrait des sorties jugées par des personnes de chaque groupe.",
    "People form groups without an output judged in common: their severities cannot be compared. "
    "It would take outputs judged by people of each group.",
)
