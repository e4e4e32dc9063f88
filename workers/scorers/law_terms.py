"""Words of French law by what they mean: things and parties of which one is not the other, verbs
that say one act, and the words that deny, bind, allow, restrict and except."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Of one class, nothing between two bars is another thing; the words between two bars are one.
_CLASSES: dict[str, str] = {
    "property": """
        véhicule véhicules automobile automobiles auto autos voiture voitures
        | camion camions camionnette camionnettes fourgonnette
        | bâtiment bâtiments immeuble immeubles maison maisons habitation habitations logement
          logements appartement appartements résidence résidences domicile chalet
        | bateau bateaux embarcation embarcations navire navires voilier voiliers
        | avion avions aéronef aéronefs hélicoptère drone drones
        | motocyclette motocyclettes moto motos cyclomoteur cyclomoteurs
        | bicyclette bicyclettes vélo vélos | motoneige motoneiges | piscine piscines
        | remorque remorques roulotte roulottes caravane caravanes
        | meuble meubles mobilier | bijou bijoux
        | animal animaux chien chiens chat chats cheval chevaux bétail
        | entrepôt entrepôts usine usines magasin magasins | train trains autobus métro""",
    "harm": """
        corporel corporels corporelle corporelles | matériel matériels matérielle matérielles
        | moral moraux morale morales""",
    "event": """
        incendie incendies feu feux | vol vols voleur voleurs | inondation inondations
        | accident accidents collision collisions sinistre sinistres événement événements
        | décès mort meurt meurent décède décèdent décédé décédée | maladie maladies
        | vandalisme | bris | tempête tempêtes ouragan | foudre | grêle | explosion explosions
        | divorce divorces | mariage mariages | naissance naissances accouchement
        | grève grèves | faillite faillites | hospitalisation | invalidité incapacité
        | retraite | chômage | disparition | séisme séismes""",
    "payment": """
        prime primes cotisation cotisations | franchise franchises
        | indemnité indemnités indemnisation prestation prestations
        | amende amendes pénalité pénalités | loyer loyers
        | revenu revenus salaire salaires rémunération | taxe taxes impôt impôts
        | pension pensions rente rentes | subvention subventions | dette dettes
        | bénéfice bénéfices profit profits | honoraires""",
    "fate": """
        résiliation résilier résilie résilié annulation annuler
        | prolongation prolonger prolongé | renouvellement renouveler renouvelé
        | cession céder""",
    "paper": """
        permis | certificat certificats attestation attestations | passeport passeports
        | facture factures | testament testaments | chèque chèques""",
    "place": """
        hôpital hôpitaux clinique cliniques | aéroport aéroports | école écoles
        | route routes chemin chemins rue rues autoroute | plage plages | gare gares
        | prison prisons | forêt forêts""",
    "authority": """
        tribunal tribunaux juge juges cour | syndicat syndicats | policier policiers
        | pompier pompiers | ministre ministres | notaire notaires | avocat avocats avocate
        | médecin médecins | maire maires | huissier huissiers | arbitre arbitres
        | comptable comptables | banque banques banquier""",
    "care": """
        médicaux médical médicale médicales | funéraires funéraire obsèques
        | scolaires scolaire | judiciaires""",
    "person": """
        conducteur conducteurs conductrice chauffeur chauffeurs | passager passagers passagère
        | piéton piétons | conjoint conjointe conjoints époux épouse
        | enfant enfants fils fille | voisin voisins voisine | héritier héritiers""",
    "party": """
        assuré assurés assurée assurées | assureur assureurs
        | locateur locateurs bailleur bailleurs | locataire locataires
        | propriétaire propriétaires | créancier créanciers créancière
        | débiteur débiteurs débitrice | acheteur acheteurs acquéreur acquéreurs
        | vendeur vendeurs vendeuse | employeur employeurs
        | employé employés employée employées salarié salariés salariée
        | prêteur prêteurs | emprunteur emprunteurs
        | demandeur demandeurs demanderesse requérant | défendeur défendeurs défenderesse
        | commerçant commerçants marchand marchands | consommateur consommateurs
        | mandant mandants | mandataire mandataires | tuteur tuteurs""",
}
# The first is a case of the second, or may be called so.
_CALLED = (
    "motocyclette véhicule", "motoneige véhicule", "remorque véhicule", "camion véhicule",
    "vol accident", "incendie accident", "bris accident", "foudre incendie", "explosion accident",
    "inondation accident", "tempête accident", "vandalisme accident", "décès accident",
    "renouvellement prolongation", "locateur propriétaire", "hospitalisation hôpital",
    "pension indemnité", "revenu indemnité", "disparition vol",
)  # fmt: skip
# One act each: what a simplification may put for another.
_ACTS = """
    couvrir couvre couvrent couvrons couvrira couvert couverts couverte couvertes couverture
    assurer assurons garantir garantit garantissons protéger protège
    | payer paie paye paient paierons payons paierez payez paiera paieront payé payés payée payable
    verser verse versera versé rembourser rembourse remboursera remboursé remboursons indemniser
    indemnise indemnisera indemnisé assumer assume charge
    | appliquer applique appliquent appliqué applicable applicables concerne concernent
    | aviser avise avertir avertit informer informe prévenir déclarer déclare signaler avis
    | recevoir reçoit reçoivent obtenir obtient bénéficier bénéficie bénéficient
    | donner donne fournir fournit fournis fournies remettre remet présenter présente transmettre
    | commencer commence débuter débute début | finir finit terminer termine cesser cesse fin
    | demander demande exiger exige réclamer réclame
    | utiliser utilise utilisé utilisée usage servir utilisation
    | acheter achat acquérir acquisition acheté
    | déterminer déterminée déterminé calculer calcule calculée calculé établir établie établi
    fixer fixée fixé évaluer évalue évaluée"""
DENIALS = _listed("ne n non pas sans aucun aucune aucunement jamais ni nul nulle rien nullement")
# What denies without a negation.
UNSAID = _listed(
    "exclu exclue exclus exclues exclut excluent exclusion exclusions exclure interdit "
    "interdite interdits interdites interdire refuse refuser refus refusé perd perdre perdez "
    "perdent perdu perte impossible inapplicable invalide annulé annulée cesse cessent limité "
    "limitée limite limites hors sauf excepté exception exceptions hormis moins mais "
    "seulement uniquement seul seule seuls seules exclusivement maximum malgré plutôt absence "
    "défaut contraire manque empêche empêcher évite éviter évitez oublie autre autres "
    "incapable inutile illégal privé indépendamment différent différente différents "
    "différentes distinct insuffisant insuffisante divergence dehors échec omet omis omettre "
    "retire retirer supprime supprimer supprimé"
)
AGAINST = UNSAID - _listed(
    "limité limitée limite limites moins mais seulement uniquement seul seule seuls seules "
    "exclusivement maximum perte autre autres malgré privé plutôt retire retirer"
)
REFUSING = _listed(
    "exclut excluent exclu exclue exclus exclues interdit interdite refuse refusé empêche "
    "perd perdent cesse cessent"
)
ACTORS = frozenset(("party", "person", "authority"))
# How a word begins, on either side; a side's words say the same here.
OPPOSITE_STEMS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = tuple(
    tuple(tuple(side.split()) for side in pair.split("|"))  # type: ignore[misc]
    for pair in (
        "étend élargi augment accroi accroît major | rédui restrein diminu abaiss",
        "autoris permis permet | interdi prohib défendu",
        "avantag favoris | désavantag nui pénalis défavoris",
        "tempor provisoi moment | définiti perman",
        "minim moins | maxim",
        "continu poursui maint demeur reste | cess arrêt expir aboli suspend fin finit termin",
        "accept consen approuv | refus rejet",
        "vacant inoccup | occupé habité",
        "bas basse insuffis faible inférieur moindre | élevé haut supérieur suffisa",
        "obligatoi | facultati optionnel volontair",
        "plusieurs multiples | seul unique",
        "écrit | oral verbal",
        "différence soustr dédui | somme addition ajout",
        "rembours | factur",
        "total entier entièr complet complèt | partiel partie",
        "mineur | majeur",
        "gratui | payant",
        "intentionn volontair | involontair accidentel",
        "augment | baisse",
        "valid valable | nul nulle invalid",
        "présent | absent absence",
    )
)
BOUNDS: tuple[tuple[str, str], ...] = (
    ("plus de", "least"), ("au moins", "least"), ("minimum de", "least"), ("au minimum", "least"),
    ("dépasse", "least"), ("excède", "least"), ("supérieur à", "least"), ("au delà de", "least"),
    ("moins de", "most"), ("au plus", "most"), ("maximum de", "most"), ("au maximum", "most"),
    ("jusqu à", "most"), ("inférieur à", "most"), ("concurrence de", "most"),
)  # fmt: skip
OR_MORE: tuple[tuple[tuple[str, str], str], ...] = (
    (("ou", "plus"), "least"), (("et", "plus"), "least"), (("ou", "moins"), "most"),
    (("et", "moins"), "most"),
)  # fmt: skip
WHEN: dict[str, str] = {
    "avant": "before", "avance": "before", "précédant": "before", "précèdent": "before",
    "préavis": "before", "préalable": "before",
    "après": "after", "suivant": "after", "suivent": "after", "suivants": "after",
}  # fmt: skip
LIMITS = _listed(
    "maximum maximal maximale limite limites limité limitée concurrence plus seulement "
    "uniquement seul seule seuls seules exclusivement moins avant"
)
LIMITED = _listed(
    "dépasse dépassent dépasser dépassera dépasseront excède excéder plus que qu autre autres avant"
)
EXCEPTIONS = _listed("sauf excepté hormis exception exceptions réserve moins")
ONLY = _listed("seulement uniquement exclusivement seul seule seuls seules exclusif exclusive")
MUST = _listed(
    "doit doivent devra devront devez devrez devons obligatoire obligatoirement obligation "
    "obligations obligé obligée obligés tenu tenue tenus tenues faut faudra exige exigé "
    "exigée exigés requis requise requises nécessaire impérativement engage engagent "
    "condition conditions pourvu devoir"
)
MAY = _listed(
    "peut peuvent pourra pourront pouvez pourrez pouvons droit droits permis permise permet "
    "permettent autorisé autorisée autorise possible libre loisir choisir choix faculté "
    "pouvoir"
)
BINDING = _listed(
    "doit doivent devra devront devez devrez devons obligé obligée obligés tenu tenue tenus "
    "tenues faut faudra exige obligation"
)
ALLOWING = _listed(
    "peut peuvent pourra pourront pouvez pourrez pouvons droit permis permise autorisé autorisée"
)
CONDITIONAL = _listed("si lorsque lorsqu quand condition conditions pourvu dès tant pour")
OWN: dict[str, str] = {
    word: owner
    for owner, words in {"you": "votre vos", "us": "notre nos"}.items()
    for word in words.split()
}
CONTRARY: dict[str, str] = {
    word: other
    for pair in (
        "avant après", "minimum maximum", "minimal maximal", "minimale maximale",
        "inférieur supérieur", "inférieure supérieure", "précède suit", "précédant suivant",
        "précédent suivant", "précédents suivants", "augmente diminue", "augmenté diminué",
        "augmentation diminution", "début fin", "inclut exclut", "inclus exclus", "toujours jamais",
        "accepte refuse", "avec sans", "vendre acheter", "présence absence", "temporaire permanent",
        "temporairement définitivement", "intérieur extérieur", "oral écrit", "gratuit payant",
    )
    for word, other in (tuple(pair.split()), tuple(reversed(pair.split())))
}  # fmt: skip


ADVERBS = _listed(
    "alors aussi également donc ensuite ainsi toutefois cependant toujours encore déjà "
    "parfois rapidement immédiatement directement notamment très plutôt enfin puis dès lors "
    "ci"
)


def _parted(listed: str) -> list[list[str]]:
    return [part.split() for part in listed.split("|")]


SENSE_OF = {
    word: words[0] for listed in _CLASSES.values() for words in _parted(listed) for word in words
}
CLASS_OF = {words[0]: name for name, listed in _CLASSES.items() for words in _parted(listed)}
ACT_OF = {word: words[0] for words in _parted(_ACTS) for word in words}
NARROWER = frozenset(tuple(pair.split()) for pair in _CALLED)
