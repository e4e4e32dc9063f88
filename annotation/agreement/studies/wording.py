"""Why two studies cannot be compared, and what it would take."""

from __future__ import annotations

from annotation.protocols.base import Wording

NO_COMMON_OUTPUT = Wording(
    "Les deux n'ont jugé aucune simplification en commun\u00a0: rien ne se compare. Il faudrait "
    "que les mêmes textes originaux, avec les mêmes simplifications, soient jugés dans les deux.",
    "Nothing was judged in both: there is nothing to compare. It would take the same original "
    "texts, with the same outputs, judged in both.",
)
NO_COMMON_DIMENSION = Wording(
    "Les deux protocoles n'ont aucune dimension en commun\u00a0: rien ne se compare.",
    "The two protocols have no dimension in common: there is nothing to compare.",
)
NOT_IN_BOTH = Wording(
    "Cette dimension n'est demandée que dans l'un des deux.",
    "This dimension is asked in one of the two only.",
)
OTHER_SCALE = Wording(
    "Les deux la mesurent sur des échelles différentes\u00a0: rien n'est converti d'une échelle à "
    "l'autre.",
    "The two measure it on different scales: nothing is converted from one scale to another.",
)
FEW_FOR_ORDER = Wording(
    "Indéfinie\u00a0: un ordre ne se compare qu'à partir de {fewest} simplifications, il y en a "
    "{outputs}.",
    "Not defined: it takes {fewest} outputs to compare an order, and there are {outputs}.",
)
NO_ORDER = Wording(
    "Indéfinie\u00a0: dans l'un des deux, toutes les simplifications ont la même moyenne.",
    "Not defined: in one of the two, all outputs have the same mean.",
)
NO_TEST = Wording(
    "Pas de test\u00a0: les deux ont donné les mêmes réponses sur chaque texte, rien ne les "
    "distingue.",
    "No test: both gave the same answers on every text, and nothing tells them apart.",
)
FEW_FOR_TEST = Wording(
    "Pas de test\u00a0: trop peu de textes changent ({texts}). Même si tous penchaient du même "
    "côté, p ne pourrait descendre sous {smallest}; il en faut au moins {fewest}.",
    "No test: too few texts change ({texts}). Even if all of them leaned to one side, p could not "
    "fall below {smallest}; it takes at least {fewest}.",
)
FEW_IN_EACH = Wording(
    "Pas d'intervalle pour d'autres personnes\u00a0: il en faudrait au moins {fewest} dans chacun "
    "des deux, il y en a {people}.",
    "No interval for other people: it would take at least {fewest} in each of the two, and there "
    "are {people}.",
)
NOBODY_IN_BOTH = Wording(
    "On ne connaît personne qui ait jugé une même simplification dans les deux.",
    "Nobody is known to have judged the same output in both.",
)
NO_COUPLE = Wording(
    "Aucune simplification n'y a été jugée par deux personnes.",
    "No output was judged there by two people.",
)
NO_OTHER_COUPLE = Wording(
    "Aucune simplification n'a été jugée par deux personnes différentes, une dans chacun.",
    "No output was judged by two different people, one in each.",
)
NO_SPREAD = Wording(
    "Indéfinie\u00a0: dans l'un des deux, toutes les simplifications ont la même étiquette.",
    "Not defined: in one of the two, all outputs have the same label.",
)
ONE_CLASS = Wording(
    "Indéfini\u00a0: les deux donnent partout la même étiquette, et l'accord dû au hasard est "
    "total.",
    "Not defined: both give one label throughout, and agreement by chance is total.",
)
NO_ALPHA = Wording(
    "Indéfini\u00a0: aucune simplification n'a deux réponses, ou toutes les réponses sont la même.",
    "Not defined: no output has two answers, or all answers are the same.",
)
NOT_SENT_BACK = Wording(
    "Aucun jugement n'a été renvoyé\u00a0: rien ne se compare. Il faudrait qu'un guide modifié "
    "renvoie des jugements, et que leurs auteurs les refassent.",
    "No judgment was sent back: there is nothing to compare. It would take an amended guide that "
    "sends judgments back, and people who make them again.",
)
NOT_YET_AGAIN = Wording(
    "Des jugements ont été renvoyés ({sent}), aucun n'a encore été refait\u00a0: rien ne se "
    "compare pour l'instant.",
    "Judgments were sent back ({sent}) and none has been made again yet: there is nothing to "
    "compare so far.",
)
UNREADABLE = Wording(
    "Le genre de cette question n'est plus installé\u00a0: ce qui y fut répondu autrefois ne peut "
    "pas être lu.",
    "The kind of this question is not installed any more: what was formerly answered to it cannot "
    "be read.",
)
# --- Said beside figures that stand.
CHOSEN = Wording(
    "Ce qui a été renvoyé a été choisi\u00a0: le changement vaut pour ces jugements, pas pour "
    "l'étude. Des jugements choisis d'après leurs réponses reviennent vers le milieu même sous un "
    "guide inchangé, et qui juge une deuxième fois connaît déjà la paire\u00a0: rien ici ne sépare "
    "cela de l'effet du guide.",
    "What was sent back was chosen: the change is that of these judgments, not of the study. "
    "Judgments chosen by their answers move back towards the middle under an unchanged guide too, "
    "and who judges a second time knows the pair already: nothing here tells that from the effect "
    "of the guide.",
)
WAITING = Wording(
    "Renvoyés sans avoir été refaits\u00a0: {waiting}. Ils ne comptent nulle part ici.",
    "Sent back and not made again: {waiting}. They count nowhere here.",
)
ALREADY = Wording(
    "Rendus sous la version même qui les a renvoyés\u00a0: {already}. Leur «\u00a0avant\u00a0» "
    "n'est pas d'avant la modification.",
    "Made under the very version that sent them back: {already}. Their “before” is not from before "
    "the amendment.",
)
OTHER_PEOPLE = Wording(
    "Les deux équipes n'ont personne en commun\u00a0: la sévérité des personnes fait partie du "
    "changement, et seul l'intervalle avec d'autres personnes en tient compte.",
    "The two teams have nobody in common: people's severity is part of the change, and only the "
    "interval with other annotators reckons with it.",
)
SOME_OTHERS = Wording(
    "Seule une partie des personnes a jugé dans les deux\u00a0: la sévérité des autres fait partie "
    "du changement. Le changement des mêmes personnes est donné à part.",
    "Only some of the people judged in both: the severity of the others is part of the change. "
    "The change of the same people is given apart.",
)
UNKNOWN_PEOPLE = Wording(
    "On ne peut pas savoir si les deux équipes ont quelqu'un en commun\u00a0: qui n'a pas de "
    "compte ici, comme les juges d'un fichier importé, n'est connu que dans son étude. Ces "
    "personnes comptent pour différentes\u00a0: leur sévérité fait partie du changement, et seul "
    "l'intervalle avec d'autres personnes en tient compte.",
    "Whether the two teams have anybody in common cannot be known: who has no account here, such "
    "as the judges of an imported file, is known in their own study alone. They count as different "
    "people: their severity is part of the change, and only the interval with other annotators "
    "reckons with it.",
)
SOME_UNKNOWN = Wording(
    "Une partie des personnes a jugé dans les deux; des autres, on ne peut pas toujours le "
    "savoir\u00a0: qui n'a pas de compte ici, comme les juges d'un fichier importé, n'est connu "
    "que dans son étude. Leur sévérité fait partie du changement. Le changement des personnes dont "
    "on sait qu'elles ont jugé dans les deux est donné à part.",
    "Some of the people judged in both; of the others it cannot always be known: who has no "
    "account here, such as the judges of an imported file, is known in their own study alone. "
    "Their severity is part of the change. The change of those who are known to have judged in "
    "both is given apart.",
)
ORDER_ALONE = Wording(
    "Les deux ne mesurent rien sur une même échelle\u00a0: aucun changement en points, aucun test, "
    "mais les deux rangent-ils les simplifications de même? C'est ce que dit la corrélation des "
    "rangs.",
    "The two measure nothing on one scale: no change in points, no test, but do both put the "
    "outputs in the same order? That is what the rank correlation says.",
)
TWICE_ALIKE = Wording(
    "{outputs} simplifications occupent dans l'un des deux une place de trop (mêmes textes, même "
    "système)\u00a0: elles ne sont pas comparées.",
    "{outputs} outputs stand once too often in one of the two (same texts, same system): they are "
    "not compared.",
)
