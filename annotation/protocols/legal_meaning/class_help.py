"""On-screen help of the 18 classes: what belongs here, and what belongs next door. Our own
words."""

from __future__ import annotations

from annotation.protocols.base import Wording

CLASS_HELP: dict[str, Wording] = {
    "endorsement": Wording(
        "Le texte présente un avenant : ce qu'il ajoute au contrat, y retire ou y remplace, et "
        "pour qui. Choisissez cette qualification quand la modification est l'objet même de la "
        "clause. Si elle ne fait qu'énoncer, au milieu d'un avenant, une exclusion ou un calcul, "
        "prenez plutôt 3, 4 ou 5.",
        "The text presents an endorsement: what it adds to the contract, removes or replaces, and "
        "for whom. Choose this class when the change itself is the subject. If the clause merely "
        "states, inside an endorsement, an exclusion or a calculation, prefer 3, 4 or 5.",
    ),
    "conditions": Wording(
        "Le texte dit ce qui doit être réuni pour que la garantie joue : un délai, un état, une "
        "qualité, un lieu. La condition ouvre la protection; l'exclusion (3) la retire après coup, "
        "et l'obligation (9) exige une conduite de l'assuré.",
        "The text says what must be present for the cover to operate: a period, a state, a status, "
        "a place. A condition opens the protection; an exclusion (3) takes it away afterwards, and "
        "an obligation (9) demands conduct from the insured.",
    ),
    "exclusions": Wording(
        "Le texte écarte un risque, un bien, une personne ou une circonstance, ou réduit la portée "
        "d'une garantie déjà accordée. Une limite en dollars attachée à un paiement relève plutôt "
        "des indemnités (5) ou des frais (7).",
        "The text rules out a risk, a property, a person or a circumstance, or narrows a cover "
        "already granted. A dollar limit attached to a payment belongs rather to indemnities (5) "
        "or expenses (7).",
    ),
    "damage": Wording(
        "Le texte décrit les dommages ou explique comment on en établit la valeur : dépréciation, "
        "expertise, perte totale, base de calcul. On mesure ici la perte; ce que l'assureur verse "
        "ensuite relève des indemnités (5).",
        "The text describes the damage or explains how its value is established: depreciation, "
        "appraisal, total loss, basis of calculation. Here the loss is measured; what the insurer "
        "then pays belongs to indemnities (5).",
    ),
    "indemnities": Wording(
        "Le texte fixe ce que l'assureur paie ou remplace : la somme, son plafond, son mode et son "
        "moment de versement, la personne qui la reçoit. Le remboursement d'une dépense engagée "
        "par l'assuré va sous frais (7), et la mesure de la perte sous dommages (4).",
        "The text sets what the insurer pays or replaces: the sum, its ceiling, how and when it is "
        "paid, and who receives it. Refunding a cost that the insured incurred goes under expenses "
        "(7), and measuring the loss under damage (4).",
    ),
    "definition": Wording(
        "Le texte donne le sens d'un mot ou d'une expression du contrat et en trace les contours. "
        "Une exclusion glissée dans la définition n'y change rien tant que le but de la clause est "
        "de dire ce que le terme désigne.",
        "The text gives the meaning of a word or phrase of the contract and draws its outline. An "
        "exclusion slipped into the definition changes nothing as long as the clause aims to say "
        "what the term denotes.",
    ),
    "expenses": Wording(
        "Le texte porte sur des dépenses accessoires au sinistre que l'assureur rembourse ou "
        "assume : remorquage, hébergement, soins, défense. Si la somme compense la perte elle-même "
        "et non une dépense, choisissez les indemnités (5).",
        "The text concerns costs incidental to the loss that the insurer refunds or bears: towing, "
        "lodging, care, defence. If the sum makes up for the loss itself rather than for a cost, "
        "choose indemnities (5).",
    ),
    "premium": Wording(
        "Le texte traite du prix de l'assurance : son montant, son échéance, son ajustement ou son "
        "remboursement. Si la prime n'est mentionnée que comme suite d'une résiliation, voyez "
        "plutôt la fin du contrat (16).",
        "The text deals with the price of insurance: its amount, due date, adjustment or refund. "
        "If the premium is mentioned only as a consequence of termination, look rather at the end "
        "of the contract (16).",
    ),
    "insured_obligations": Wording(
        "Le texte impose à l'assuré de faire, de ne pas faire ou de déclarer quelque chose, ou "
        "consigne un engagement formel de sa part. Quand la clause parle surtout de la sanction du "
        "manquement, choisissez 10.",
        "The text requires the insured to do, not to do or to declare something, or records a "
        "formal commitment (warranty) on their part. When the clause is mostly about the sanction "
        "for a breach, choose 10.",
    ),
    "non_compliance": Wording(
        "Le texte annonce ce qui arrive quand une obligation n'est pas respectée : perte de "
        "droits, réduction, suspension, nullité. L'obligation elle-même relève de 9; une fin de "
        "contrat sans faute relève de 16.",
        "The text announces what happens when an obligation is not met: loss of rights, reduction, "
        "suspension, nullity. The obligation itself belongs to 9; a contract that ends without any "
        "breach belongs to 16.",
    ),
    "insurer_obligations": Wording(
        "Le texte oblige l'assureur à une conduite : défendre, répondre, motiver, organiser, "
        "informer. Lorsque son seul devoir est de verser une somme, préférez les indemnités (5) ou "
        "les frais (7).",
        "The text binds the insurer to a course of conduct: defend, answer, give reasons, arrange, "
        "inform. When its only duty is to pay a sum, prefer indemnities (5) or expenses (7).",
    ),
    "insured_rights": Wording(
        "Le texte reconnaît à l'assuré une faculté qu'il est libre d'exercer ou à laquelle il "
        "renonce : annuler, transformer, choisir, consulter. S'il s'agit de contester une décision "
        "ou d'aller devant un tribunal, choisissez les recours (17).",
        "The text grants the insured an option that they are free to exercise or that they waive: "
        "cancel, convert, choose, consult. If it is about disputing a decision or going to court, "
        "choose legal recourse (17).",
    ),
    "insurer_rights": Wording(
        "Le texte reconnaît à l'assureur une faculté, ou constate qu'il y renonce : inspecter, "
        "réparer plutôt que payer, négocier, exiger une expertise. Le droit de poursuivre le tiers "
        "responsable a sa place propre, la subrogation (14).",
        "The text grants the insurer an option, or records that it waives one: inspect, repair "
        "instead of paying, negotiate, demand an appraisal. The right to pursue the third party at "
        "fault has its own place, subrogation (14).",
    ),
    "subrogation": Wording(
        "Le texte traite du droit de l'assureur de prendre la place de l'assuré contre le "
        "responsable, des personnes à l'abri de ce droit ou de la renonciation à l'exercer. C'est "
        "la qualification la plus précise : elle l'emporte sur 13 et sur 17.",
        "The text deals with the insurer's right to stand in the insured's place against the party "
        "at fault, with the persons sheltered from it, or with its waiver. It is the most specific "
        "class: it prevails over 13 and 17.",
    ),
    "effective_date": Wording(
        "Le texte situe le début de la protection, sa durée, sa prolongation ou sa reconduction. "
        "Ce qui y met un terme, à l'échéance ou avant, relève de 16; une période à attendre pour "
        "avoir droit à une prestation relève de 2.",
        "The text locates the start of the protection, its term, its extension or its renewal. "
        "What brings it to an end, at expiry or before, belongs to 16; a waiting period for a "
        "benefit belongs to 2.",
    ),
    "termination": Wording(
        "Le texte règle la manière dont le contrat ou une garantie s'éteint : résiliation, "
        "préavis, cause "
        "de fin, effets. Si l'extinction punit un manquement de l'assuré, examinez d'abord 10.",
        "The text governs how the contract or a cover comes to an end: cancellation, notice, "
        "ground for "
        "ending, effects. If the ending punishes a breach by the insured, consider 10 first.",
    ),
    "recourse": Wording(
        "Le texte organise le désaccord : plainte, révision, expertise contradictoire, arbitrage, "
        "action en justice et son délai, mandat de représentation. Le recours contre le tiers "
        "responsable relève de la subrogation (14).",
        "The text organises disagreement: complaint, review, joint appraisal, arbitration, lawsuit "
        "and its time limit, mandate of representation. Recourse against the third party at fault "
        "belongs to subrogation (14).",
    ),
    "others": Wording(
        "Aucune des dix-sept autres qualifications ne rend compte de l'objet principal du texte : "
        "langue, monnaie, mode de communication, interprétation. Écrivez pourquoi les plus proches "
        "ne conviennent pas.",
        "None of the seventeen other classes accounts for the main subject of the text: language, "
        "currency, means of communication, interpretation. Write why the nearest ones do not fit.",
    ),
}
