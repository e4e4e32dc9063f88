"""Whether a French text holds a finite verb: what tells a sentence from a title, without a model.

Conjugating every verb would need a dictionary. Legal French does with few signs: what only stands
before a finite verb ("ne", "il", "qui"), auxiliaries, endings that few nouns share ("-era",
"-aient"), and the present of some five hundred verbs that contracts and statutes are made of.
Forms that are nouns as often ("la garantie limite" against "la limite") count only after what calls
for a verb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from annotation.accents import composed

_AUXILIARIES = (
    "est sont était étaient sera seront serait seraient soit soient fut furent a ont avait avaient "
    "aura auront aurait auraient ait aient eut eurent peut peuvent pouvait pouvaient pourra "
    "pourront pourrait pourraient puisse puissent doit doivent devait devaient devra devront "
    "devrait devraient veut veulent voulait faut fallait faudra faudrait fait font va vont sait "
    "savent vaut valent dit disent suis sommes êtes avons avez devons devez"
)
_PRONOUNS = "il elle ils elles on je tu ne qui lequel laquelle lesquels lesquelles y"
# Of the first group: the stem, and "e", "ent" after it. Nouns that read the same stand below.
_FIRST_GROUP = (
    "abaiss abandonn abrog accept accompagn accord acquitt additionn administr affect aggrav agré "
    "ajout ajust alièn allou amorc amélior aménag annex annonc annul appliqu apport appos approuv "
    "appréci arriv arrêt articul assign assujetti assum assur attach attest attribu atténu "
    "augment autoris avanc avis bloqu bonifi bénéfici calcul caus cautionn certifi cess cherch "
    "circul classifi collabor combl command commenc communiqu compar compens complèt comport "
    "concern conditionn confi confirm confisqu conform conjugu consent conserv considèr consign "
    "consist consolid consomm constat constitu consult contest continu contract contribu contrôl "
    "convoqu cotis coût cré crédit destin diffèr diminu dispens dispos distribu divis document "
    "donn débit débours début décharg décid déclar déclench déclin décommand décourag décret "
    "dédommag défalqu défray dégag dégrad délimit délivr délègu démontr dénatur dénonc dépann "
    "dépass déplac dépos dépouill dérog déroul désign désist détaill détermin détourn détérior "
    "embauch emmagasin empiét emport emprunt encadr encaiss encourag endommag enlèv enregistr "
    "entr entrav entraîn entrepos envisag estim examin excus excèd exempt exerc exig expir "
    "expliqu exploit expos exprim expuls exécut fabriqu facilit factur favoris financ fix forc "
    "form fractionn gouvern grèv génèr habit homologu honor hypothèqu héberg identifi immatricul "
    "impliqu import impos imput incit incomb indemnis indiqu inform insist inspect install "
    "instaur institu intent interrog intervi intègr intégr invit invoqu jug justifi laiss lanc "
    "liquid livr log lou lègu lèv major mandat manifest manqu mentionn mesur modifi montr motiv "
    "ménag nomm notifi nécessit négoci observ occasionn octroi oppos opèr ordonn organis oubli "
    "outrepass pai parl partag particip pass pay perpétu plafonn planifi possèd priv procur "
    "procèd prolong pronon propos prorog protest protèg prouv provoqu précis préconis précèd "
    "préjudici prélèv présent préserv présum préval prêt publi purg pénalis qualifi quitt ramèn "
    "rapport ratifi recherch recommand recouvr rectifi redress refus relèv rembours remorqu "
    "remplac remédi rencontr renferm renforc renonc renseign repouss respect restitu retard "
    "retourn retranch règl réalis réclam récompens récupèr réexamin régularis réinstall rénov "
    "répar répercut réput réserv résid résili rétribu rétrocèd réunis révis révoqu révèl "
    "sanctionn scind sign signal signifi simplifi sollicit souhait soulèv spécifi stationn stipul "
    "subordonn subrog subsist substitu support suppos supprim surcharg surveill sélectionn sépar "
    "séquestr tard tarifi tent termin tolèr totalis transform transfèr transport transpos travers "
    "trouv utilis vari vid visit vérifi échang écoul élabor élimin éloign émarg énonc énumèr "
    "épuis équip étal évalu évinc évit"
)
_OTHERS = (
    "aboutit abstiennent abstient accomplit accorde accroissent accroît accueille accueillent "
    "achète achètent acquiert acquiesce acquitte acquittent acquièrent adhère adhèrent admet "
    "admettent affaiblit affecte agissent agit agrandit ajoute ajoutent aperçoit apparaissent "
    "apparaît appartiennent appartient appelle appellent apporte apprend apprennent appuie "
    "appuient assemble assiste assistent atteignent atteint attend attendent avertissent avertit "
    "balaie bat battent bâtit bénit cautionne cessent change changent choisit circonscrit circule "
    "clôt commet commettent comparaît complètent comprend comprenne comprennent compromet "
    "concluent conclut conduisent conduit confond confondent congédie congédient connaissent "
    "connaît consent consentent constate construit conteste contestent contiennent contient "
    "contraint contredisent contredit contreviennent contrevient convainc convertit convienne "
    "conviennent convient conçoit conçoivent correspond correspondent corrompt courent court "
    "couvre couvrent craignent craint croient croit cumule cumulent cède cèdent demandent demeure "
    "demeurent descend desservent deviennent devient diffèrent dirige dirigent disparaissent "
    "disparaît dispose dissolvent dissout divise dort débattent déclare découle découlent décrit "
    "décrivent décède décèdent décèle décèlent déduisent déduit défait défend défendent "
    "définissent définit défraie défraient dément démet démettent démolit dépend dépendent "
    "déploie déploient dépose désire désirent désobéit détiennent détient détruisent détruit "
    "effectue effectuent effraie emploie emploient empêche empêchent encourent encourt enfreint "
    "engage engagent enjoint ennuie enrichit entend entendent entrent entreprend entretient "
    "envahit envoie envoient essaie essaient essuie essuient examine exclue excluent exclut "
    "exerce exercent exige existe existent expédie finit fixent forment fournissent fournit "
    "franchit fuit garantissent garantit garnit gèle gèlent gère gèrent habite harcèle incluent "
    "inclut incombe incombent indemnise indemnisent inscrit inscrivent instruisent instruit "
    "interdisent interdit interrompent interrompt interviennent intervient introduit investit "
    "invite jette jettent jouissent jouit libère libèrent limitent lisent loge loue maintiennent "
    "maintient met mettent meurt meuvent mène mènent naissent nantit naît nettoie nettoient "
    "nuisent nuit néglige oblige obligent obtiennent obtient obéit octroie octroient offre "
    "offrent omet omettent opte optent ordonne ouvre ouvrent paie paient paraît parviennent "
    "parvient perd perdent permet permettent perçoit perçoivent plaît porte portent poursuit "
    "poursuivent pourvoient pourvoit prend prennent prescrit prescrivent procure produisent "
    "produit projette projettent promet promettent promeut promeuvent prononce prononcent propose "
    "proviennent provient prémunit préside prétend prétendent prévaut préviennent prévient "
    "prévoient prévoit punit périt rachète rachètent rappelle rappellent rapporte reconnaissent "
    "reconnaît reconstruisent reconstruit recourent recourt recouvre recouvrent recueille "
    "recueillent refont refuse rejette rejettent rejoignent rejoint relève relèvent rembourse "
    "remboursent remet remettent remplace remplissent remplit rend rendent renouvelle "
    "renouvellent renvoie renvoient reprend reprennent reproduisent reproduit représente "
    "représentent requiert requièrent ressent ressentent ressortent reste restent restreignent "
    "restreint retiennent retient retire retirent reviennent revient reçoit reçoivent risque "
    "risquent rompent rompt rouvre rouvrent réagit réclament réduisent réduit réfère réfèrent "
    "régissent régit répand répandent répond répondent résolvent résout résulte résultent "
    "rétablit réussit réélit saisit satisfont scelle scellent semble semblent sent sentent sert "
    "servent signale sortent souffre souffrent soumet soumettent souscrit souscrivent soustrait "
    "soutient stipule stipulent subissent subit suffisent suffit suit suivent surprend surseoit "
    "surviennent survient suspend suspendent tiennent tient traduit trahit traite traitent "
    "transfère transmet transmettent transporte travaille travaillent trouve utilise utilisent "
    "vainc valide varie vend vendent verse versent viennent vient viole visent vit vivent voient "
    "voit vole volent échoient échoit élargit élisent élit émet émettent émeut équivalent "
    "équivaut établissent établit éteint étend étendent"
)
# What reads as a noun or an adjective as often: a verb after a pronoun or "s'" alone.
_ALSO_NOUNS = (
    "active adresse aide annexe annonce assure avance cause cesse charge classe commande complète "
    "compte conforme conserve consigne continue contrôle cotise crédite date demande dispense "
    "double décharge enquête entrave entre excuse exempte fabrique facture ferme figure finance "
    "fixe force forme garantie grève hypothèque juge lance limite livre manque marque mesure "
    "montre motive ménage note offre partage passe place porte pose pratique prime prise "
    "programme présente présentent présidents prête purge quitte recherche remarque remorque "
    "rencontre reste retraite risque règle réclame récompense réplique réserve résident suite "
    "surcharge surveille séquestre taxe tente trouble valide vide vise visite échange équipe "
    "équivalent"
)
_NOT_PRESENT = frozenset(_ALSO_NOUNS.split())
_STEMS = frozenset(_FIRST_GROUP.split())
_FINITE = frozenset(_AUXILIARIES.split()) | (frozenset(_OTHERS.split()) - _NOT_PRESENT)
_BEFORE_A_VERB = frozenset(_PRONOUNS.split())
_FUTURE = ("era", "dra", "vra", "rra", "tra", "ira", "ront", "aient", "issent")
_CONDITIONAL = ("erait", "irait", "drait", "vrait", "rrait")
_NOUNS_IN_RA = frozenset(
    [
        "opéra",
        "caméra",
        "choléra",
        "extra",
        "contra",
        "ultra",
        "sierra",
        "hydra",
        "mantra",
        "front",
        "affront",
    ]
)
_NOUNS_IN_AIT = frozenset(
    [
        "lait",
        "trait",
        "retrait",
        "souhait",
        "portrait",
        "extrait",
        "attrait",
        "bienfait",
        "forfait",
        "méfait",
        "parfait",
        "imparfait",
        "surfait",
        "fait",
        "refait",
        "satisfait",
        "abstrait",
        "distrait",
    ]
)
_NOT_EZ = frozenset(["chez", "assez", "nez", "rez"])
_AFTER_CLITIC = re.compile(r"(?:e|ent|it|ait|aient|a|ont|era|eront|erait|end|oit|ert|iert|ient)$")
_WORD = re.compile(r"[^\W\d_]+(?:['’]|\b)")
_NAMED_A = ("", "annexe", "chapitre", "section", "option", "partie", "garantie", "formulaire")
_OBJECTS = frozenset(
    [
        "le",
        "la",
        "les",
        "l'",
        "un",
        "une",
        "votre",
        "vos",
        "son",
        "sa",
        "ses",
        "leur",
        "leurs",
        "ce",
        "cet",
        "cette",
        "ces",
    ]
)
_ELIDED = ("qu'", "n'")
_OPENS_CLAUSE = re.compile(
    r"\b(?:(?:qui|que|dont|où|si|quand|lorsque|puisque|lequel|laquelle|lesquels|lesquelles)\b"
    r"|(?:lors|puis)?qu['’]|s['’](?=ils?\b))",
    re.IGNORECASE,
)
_CLITICS = ("s'", "n'", "se", "y")


def has_finite_verb(text: str) -> bool:
    """Whether a verb of the text is conjugated; participles and infinitives are not."""
    return first_finite_verb(text) is not None


def first_finite_verb(text: str) -> int | None:
    """Where the first conjugated verb begins, or what only stands before one; None without."""
    return next((match.start() for match in _finite(text)), None)


def has_main_verb(text: str) -> bool:
    """Whether a conjugated verb stands outside what "qui", "que" or "si" opens: "cocher la case qui
    convient" has none. Each of these words takes one verb with it."""
    text, inside = composed(text), 0
    opening = {match.start() for match in _OPENS_CLAUSE.finditer(text)}
    verbs = {match.start() for match in _finite(text) if not _only_announces(match[0])}
    for place in sorted(opening | verbs):
        if place in opening:
            inside += 1
        elif inside:
            inside -= 1
        else:
            return True
    return False


def _finite(text: str) -> Iterator[re.Match[str]]:
    matches = list(_WORD.finditer(composed(text)))
    words = ["", *(match[0].lower().replace("’", "'") for match in matches), "", ""]
    for place, match in enumerate(matches, start=1):
        # A title in capitals holds "A" for "À", "EST" for the point of the compass.
        if match[0] in ("A", "EST"):
            continue
        if _is_finite(words[place], words[place - 1], words[place + 1 : place + 3]):
            yield match


def _only_announces(word: str) -> bool:
    word = word.lower().replace("’", "'")
    return word in _BEFORE_A_VERB or word in _ELIDED


def _is_finite(word: str, before: str, after: list[str]) -> bool:
    if word in _BEFORE_A_VERB or word in _ELIDED:
        return True
    if word == "a" and before in _NAMED_A:
        return False
    if before in _CLITICS:
        return _AFTER_CLITIC.search(word) is not None
    if word in _NOT_PRESENT:
        # "Le règlement fixe les conditions", but not "la prime fixe la plus élevée".
        return after[0] in _OBJECTS and after[1] not in ("plus", "moins")
    if before == "nous" and word.endswith("ons"):
        return True
    return word in _FINITE or _is_of_first_group(word) or _has_finite_ending(word)


def _is_of_first_group(word: str) -> bool:
    return (word.endswith("e") and word[:-1] in _STEMS) or (
        word.endswith("ent") and word[:-3] in _STEMS
    )


def _has_finite_ending(word: str) -> bool:
    if len(word) < 5:
        return False
    if word.endswith(_FUTURE + _CONDITIONAL):
        return word not in _NOUNS_IN_RA
    if word.endswith("ez"):
        return word not in _NOT_EZ
    return word.endswith("ait") and word not in _NOUNS_IN_AIT
