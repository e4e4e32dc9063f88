"""ASSETann's 26 operations and its mark of an erroneous simplification, under the identifiers of
the released files, in groups. Help and examples are ours."""

from __future__ import annotations

from annotation.protocols.base import Wording
from annotation.protocols.kinds import Operation, OperationGroup

INSERTIONS = OperationGroup(
    "insertions",
    Wording("Insertions", "Insertions"),
    (
        Operation(
            1,
            "inprop",
            Wording("Insertion d'une proposition", "Inserted clause"),
            Wording(
                "La simplification gagne une proposition, avec son verbe, que rien dans l'original "
                "ne disait.",
                "The simplification gains a clause, with a verb of its own, which nothing in the "
                "original said.",
            ),
            Wording(
                "« Payez la prime. » devient « Payez la prime, car elle est due en juin. »",
                "“Pay the premium.” becomes “Pay the premium, because it is due in June.”",
            ),
            side="simplification",
        ),
        Operation(
            2,
            "inmod",
            Wording("Insertion d'un modifieur", "Inserted modifier"),
            Wording(
                "Un adjectif, un adverbe ou un complément s'ajoute à un mot qui était déjà là; "
                "sans lui, la phrase tiendrait encore.",
                "An adjective, an adverb or a complement joins a word that was there already; the "
                "sentence would stand without it.",
            ),
            Wording(
                "« un contrat » devient « un contrat écrit ».",
                "“a contract” becomes “a written contract”.",
            ),
            side="simplification",
        ),
        Operation(
            3,
            "incst",
            Wording("Insertion pour la cohérence", "Insertion for coherence"),
            Wording(
                "Un mot arrive parce qu'une autre opération l'exige : sans lui, la phrase ne "
                "serait plus correcte.",
                "A word comes in because another edit calls for it: without it the sentence would "
                "no longer be correct.",
            ),
            Wording(
                "La phrase est coupée, et la seconde moitié reçoit un sujet : « Elle couvre le "
                "toit. »",
                "The sentence is cut in two, and its second half gets a subject: “It covers the "
                "roof.”",
            ),
            side="simplification",
        ),
        Operation(
            4,
            "inoth",
            Wording("Autre insertion", "Other insertion"),
            Wording(
                "Ce qui s'ajoute n'est ni une proposition, ni un modifieur, ni une exigence de la "
                "grammaire.",
                "What is added is no clause, no modifier, and nothing that grammar asks for.",
            ),
            Wording(
                "« Le délai est de dix jours. » devient « Attention : le délai est de dix jours. »",
                "“The time limit is ten days.” becomes “Note: the time limit is ten days.”",
            ),
            side="simplification",
        ),
    ),
)

DELETIONS = OperationGroup(
    "deletions",
    Wording("Suppressions", "Deletions"),
    (
        Operation(
            5,
            "delprop",
            Wording("Suppression d'une proposition", "Deleted clause"),
            Wording(
                "L'original a une proposition, avec son verbe, dont la simplification ne dit plus "
                "rien.",
                "The original has a clause, with a verb of its own, of which the simplification no "
                "longer says anything.",
            ),
            Wording(
                "« Le bail, que les parties ont signé hier, prend fin en mai. » devient « Le bail "
                "prend fin en mai. »",
                "“The lease, which both parties signed yesterday, ends in May.” becomes “The "
                "lease ends in May.”",
            ),
            side="original",
        ),
        Operation(
            6,
            "delmod",
            Wording("Suppression d'un modifieur", "Deleted modifier"),
            Wording(
                "Un adjectif, un adverbe ou un complément disparaît; le mot qu'il précisait reste.",
                "An adjective, an adverb or a complement goes; the word that it qualified stays.",
            ),
            Wording(
                "« un dommage purement matériel » devient « un dommage matériel ».",
                "“a purely material damage” becomes “a material damage”.",
            ),
            side="original",
        ),
        Operation(
            7,
            "delcst",
            Wording("Suppression pour la cohérence", "Deletion for coherence"),
            Wording(
                "Un mot s'en va parce qu'une autre opération l'a rendu impossible là où il était.",
                "A word goes because another edit left no room for it where it stood.",
            ),
            Wording(
                "La phrase est coupée, et le « et » qui joignait ses moitiés tombe.",
                "The sentence is cut in two, and the “and” that joined its halves falls away.",
            ),
            side="original",
        ),
        Operation(
            8,
            "deloth",
            Wording("Autre suppression", "Other deletion"),
            Wording(
                "Ce qui disparaît n'est ni une proposition, ni un modifieur, ni de trop pour la "
                "grammaire.",
                "What goes is no clause, no modifier, and nothing that grammar had no room for.",
            ),
            Wording(
                "« le propriétaire et le gérant signent » devient « le propriétaire signe ».",
                "“the owner and the manager sign” becomes “the owner signs”.",
            ),
            side="original",
        ),
    ),
)

MOVES = OperationGroup(
    "moves",
    Wording("Déplacements", "Moves"),
    (
        Operation(
            9,
            "move",
            Wording("Déplacement", "Move"),
            Wording(
                "Des mots changent de place dans la phrase sans être dits autrement.",
                "Words change their place in the sentence without being put otherwise.",
            ),
            Wording(
                "« En cas de vol, avisez-nous. » devient « Avisez-nous en cas de vol. »",
                "“In case of theft, tell us.” becomes “Tell us in case of theft.”",
            ),
        ),
    ),
)

SUBSTITUTIONS = OperationGroup(
    "substitutions",
    Wording("Substitutions", "Substitutions"),
    (
        Operation(
            10,
            "synonym",
            Wording("Synonyme", "Synonym"),
            Wording(
                "Un mot ou une expression laisse la place à un autre de même sens.",
                "A word or an expression gives way to another of the same meaning.",
            ),
            Wording(
                "« résilier le bail » devient « mettre fin au bail ».",
                "“terminate the lease” becomes “end the lease”.",
            ),
        ),
        Operation(
            11,
            "hyperonym",
            Wording("Hyperonyme", "Hypernym"),
            Wording(
                "Le nouveau mot est plus général : ce que disait l'ancien en est une sorte.",
                "The new word is more general: what the old one said is a kind of it.",
            ),
            Wording(
                "« une motocyclette » devient « un véhicule ».",
                "“a motorcycle” becomes “a vehicle”.",
            ),
        ),
        Operation(
            12,
            "hyponym",
            Wording("Hyponyme", "Hyponym"),
            Wording(
                "Le nouveau mot est plus précis : il dit une sorte de ce que disait l'ancien.",
                "The new word is more specific: it says a kind of what the old one said.",
            ),
            Wording(
                "« un sinistre » devient « un incendie ».",
                "“a loss” becomes “a fire”.",
            ),
        ),
        Operation(
            13,
            "s2p",
            Wording("Singulier vers pluriel", "Singular to plural"),
            Wording(
                "Le même mot passe du singulier au pluriel.",
                "The same word goes from the singular to the plural.",
            ),
            Wording(
                "« tout locataire doit » devient « les locataires doivent ».",
                "“every tenant must” becomes “all tenants must”.",
            ),
        ),
        Operation(
            14,
            "p2s",
            Wording("Pluriel vers singulier", "Plural to singular"),
            Wording(
                "Le même mot passe du pluriel au singulier.",
                "The same word goes from the plural to the singular.",
            ),
            Wording(
                "« les dommages causés » devient « le dommage causé ».",
                "“the claims made” becomes “the claim made”.",
            ),
        ),
        Operation(
            15,
            "pron",
            Wording("Pronominalisation", "Replaced by a pronoun"),
            Wording(
                "Un pronom remplace le nom ou le groupe que l'original écrivait en toutes lettres.",
                "A pronoun stands for the noun or phrase that the original wrote out.",
            ),
            Wording(
                "« L'assureur paiera. » devient « Il paiera. »",
                "“The insurer will pay.” becomes “It will pay.”",
            ),
        ),
        Operation(
            16,
            "fromPron",
            Wording("Résolution d'un pronom", "Pronoun spelled out"),
            Wording(
                "Le nom ou le groupe dont parlait un pronom est écrit à sa place.",
                "The noun or phrase that a pronoun stood for is written in its place.",
            ),
            Wording(
                "« Celui-ci doit signer. » devient « Le vendeur doit signer. »",
                "“The latter must sign.” becomes “The seller must sign.”",
            ),
        ),
        Operation(
            17,
            "verbf",
            Wording("Temps ou mode du verbe", "Tense or mood of a verb"),
            Wording(
                "Le verbe reste le même, à un autre temps ou à un autre mode.",
                "The verb stays the same, in another tense or mood.",
            ),
            Wording(
                "« la garantie prendra effet » devient « la garantie prend effet ».",
                "“the cover shall begin” becomes “the cover begins”.",
            ),
        ),
    ),
)

COMPLEX = OperationGroup(
    "complex",
    Wording("Opérations complexes", "Complex operations"),
    (
        Operation(
            18,
            "a2p",
            Wording("Voix active vers passive", "Active to passive voice"),
            Wording(
                "Qui agissait était sujet; c'est ce qui est fait qui le devient.",
                "Whoever acted was the subject; what is done becomes it.",
            ),
            Wording(
                "« le juge annule la clause » devient « la clause est annulée par le juge ».",
                "“the court voids the clause” becomes “the clause is voided by the court”.",
            ),
        ),
        Operation(
            19,
            "p2a",
            Wording("Voix passive vers active", "Passive to active voice"),
            Wording(
                "Ce qui était fait était sujet; qui agit le devient.",
                "What was done was the subject; whoever acts becomes it.",
            ),
            Wording(
                "« le loyer est payé par le locataire » devient « le locataire paie le loyer ».",
                "“the rent is paid by the tenant” becomes “the tenant pays the rent”.",
            ),
        ),
        Operation(
            20,
            "POSchange",
            Wording("Changement de nature d'un mot", "Change of part of speech"),
            Wording(
                "La même idée passe d'une nature de mot à une autre : d'un nom à un verbe, d'un "
                "adjectif à un adverbe.",
                "The same idea goes from one part of speech to another: from a noun to a verb, "
                "from an adjective to an adverb.",
            ),
            Wording(
                "« lors de la livraison » devient « quand on livre ».",
                "“upon delivery” becomes “when it is delivered”.",
            ),
        ),
        Operation(
            21,
            "split",
            Wording("Division de la phrase", "Sentence split"),
            Wording(
                "Une phrase en devient deux ou plus : marquez dans la simplification l'endroit "
                "de la coupure, d'ordinaire le point.",
                "One sentence becomes two or more: mark in the simplification where it was cut, "
                "usually the full stop.",
            ),
            Wording(
                "« Le bateau est amarré et il est couvert. » devient « Le bateau est amarré. Il "
                "est couvert. »",
                "“The boat is moored and it is covered.” becomes “The boat is moored. It is "
                "covered.”",
            ),
            side="simplification",
        ),
        Operation(
            22,
            "merge",
            Wording("Réunion de phrases", "Sentences merged"),
            Wording(
                "Deux phrases ou plus n'en font qu'une : marquez dans l'original l'endroit où "
                "elles étaient séparées, d'ordinaire le point.",
                "Two sentences or more become one: mark in the original where they were apart, "
                "usually the full stop.",
            ),
            Wording(
                "« Le bail est signé. Il prend effet. » devient « Le bail est signé et prend "
                "effet. »",
                "“The lease is signed. It takes effect.” becomes “The lease is signed and takes "
                "effect.”",
            ),
            side="original",
        ),
        Operation(
            23,
            "toImp",
            Wording("Vers une forme impersonnelle", "To an impersonal form"),
            Wording(
                "La phrase ne dit plus qui agit : son sujet n'est plus personne.",
                "The sentence no longer says who acts: its subject is nobody any more.",
            ),
            Wording(
                "« vous devez signer » devient « il faut signer ».",
                "“you must sign” becomes “it is necessary to sign”.",
            ),
            side="either",
        ),
        Operation(
            24,
            "fromImp",
            Wording("Vers une forme personnelle", "To a personal form"),
            Wording(
                "La phrase dit qui agit, là où l'original n'avait personne pour sujet.",
                "The sentence says who acts, where the original had nobody for a subject.",
            ),
            Wording(
                "« il est requis de payer » devient « vous devez payer ».",
                "“it is required to pay” becomes “you must pay”.",
            ),
            side="either",
        ),
        Operation(
            25,
            "pos2neg",
            Wording("Affirmation vers négation", "Affirmation to negation"),
            Wording(
                "La même chose est dite par une négation.",
                "The same is said by a negation.",
            ),
            Wording(
                "« le contrat est nul » devient « le contrat n'est pas valable ».",
                "“the contract is void” becomes “the contract is not valid”.",
            ),
        ),
        Operation(
            26,
            "neg2pos",
            Wording("Négation vers affirmation", "Negation to affirmation"),
            Wording(
                "La même chose est dite sans la négation.",
                "The same is said without the negation.",
            ),
            Wording(
                "« il n'est pas permis de fumer » devient « il est interdit de fumer ».",
                "“smoking is not allowed” becomes “smoking is forbidden”.",
            ),
        ),
    ),
)

ERRORS = OperationGroup(
    "errors",
    Wording("Erreur", "Error"),
    (
        Operation(
            27,
            "err",
            Wording("Simplification erronée", "Erroneous simplification"),
            Wording(
                "La simplification a une faute manifeste : elle n'est pas grammaticale, ou ne dit "
                "plus la même chose. Ce n'est pas une opération : la marque vaut pour la paire, et "
                "un passage n'est pas exigé.",
                "The simplification is plainly wrong: it is not grammatical, or no longer says the "
                "same. It is no operation: the mark is for the pair, and no passage is needed.",
            ),
            Wording(
                "« Le bail dure un an. » devient « Le bail dure. »",
                "“The lease runs for one year.” becomes “The lease runs for.”",
            ),
            side="pair",
        ),
    ),
)

GROUPS = (INSERTIONS, DELETIONS, MOVES, SUBSTITUTIONS, COMPLEX, ERRORS)
"""In the order of the page. The first two are those that the paper counts as one each."""
