"""What a snapshot keeps beside judgments: the protocol, and tables of what most marked on each word
and of questions of the texts, with what models and people said."""

from __future__ import annotations

from annotation.release.frozen import PROTOCOL
from annotation.release.tables import Field, Table

CONSENSUS = Table(
    "mark_consensus",
    "One row per word of the pairs that several people marked: what most put on it",
    (
        Field("field", "text", "Question du protocole.", "Question of the protocol."),
        Field("pair", "text", "Simplification, comme dans la table labels.",
              "Simplification, as in the table labels."),
        Field("side", "text", "original ou simplification.", "original or simplification."),
        Field("token", "integer", "Place du mot, à partir de 0.", "Place of the word, from 0."),
        Field("start", "integer", "Premier caractère.", "First character."),
        Field("end", "integer", "Caractère qui suit le dernier.", "Character behind the last."),
        Field("text", "text", "Le mot.", "The word."),
        Field("annotators", "integer", "Nombre de personnes.", "How many people."),
        Field("outcome", "text", "unanimous, majority, plurality ou tie.",
              "unanimous, majority, plurality or tie."),
        Field("operations", "json", "Ce que la plupart y mettent; vide à égalité.",
              "What most put on it; empty in a tie."),
        Field("tied", "json", "À égalité, les étiquettes les plus fréquentes.",
              "In a tie, the most frequent label sets."),
        Field("label_sets", "json", "Combien de personnes y mettent quoi.",
              "How many people put what."),
        Field("marked", "json", "Combien y mettent chaque opération.",
              "How many put each operation."),
    ),
)  # fmt: skip
QUESTIONS = Table(
    "questions",
    "One row per question and text: what models asked, answered and graded, what people said",
    (
        Field("source", "text", "Élément.", "Item."),
        Field("system", "text", "De qui est le texte.", "Who wrote the text."),
        Field("question", "text", "Qui l'a posée, et son numéro.", "Who asked it, its number."),
        Field("type", "text", "Type.", "Type."),
        Field("text", "text", "La question.", "The question."),
        Field("expected", "text", "La réponse attendue.", "The expected answer."),
        Field("reference_quotation", "text", "Les mots de l'original qui la portent.",
              "The words of the original that bear it."),
        Field("answer", "text", "La réponse tirée du texte.", "The answer from the text."),
        Field("quotation", "text", "Les mots du texte qui la portent.",
              "The words of the text that bear it."),
        Field("is_in_text", "boolean", "Faux : le texte ne le dit pas.",
              "False: the text does not say."),
        Field("beyond_text", "boolean", "Les mots cités ne sont pas dans le texte.",
              "The quoted words are not in the text."),
        Field("grade", "integer", "Note, de 0 à 10.", "Grade, 0 to 10."),
        Field("reason", "text", "Motif de la note.", "Reason of the grade."),
        Field("missing", "text", "Ce qui manque et pourquoi; jamais un NON.",
              "What is missing and why; never a NO."),
        Field("variant", "text", "Qui a demandé, répondu, noté.", "Who asked, answered, graded."),
        Field("model", "text", "Modèle.", "Model."),
        Field("people", "json", "Qui dit que la question reçoit sa réponse.",
              "Who says that the question is answered."),
        Field("captured", "json", "Qui dit que la question saisit ce qu'il faut.",
              "Who says that the question captures what is needed."),
        Field("correct", "json", "Qui dit que la réponse attendue est juste.",
              "Who says that the expected answer is right."),
        Field("tokens", "integer", "Jetons des appels.", "Tokens of the calls."),
        Field("usd", "number", "Coût des appels.", "Cost of the calls."),
    ),
)  # fmt: skip
TABLES = (CONSENSUS, QUESTIONS)
DOCUMENTS = {
    PROTOCOL: "the protocol: questions, answers, conditions, words, as a file that Barème reads",
    "marks.json": "agreement on what people marked, as marked and with all of a group as one",
    "questions.json": "the report of the table `questions`",
}
"""The protocol and reports, copied as they are, and what each is."""
