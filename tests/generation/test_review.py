"""What a machine sees wrong with an output, on examples of our own, and the text without its
trappings."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.generation.presets import PAPER_PROMPT
from annotation.generation.review import FLAGS, cleaned, flags, tidy

ORIGINAL = (
    "Le propriétaire avertit l'assureur du vol de sa remorque dès qu'il en a connaissance, à moins "
    "qu'il n'en soit empêché par une force majeure."
)
FINE = (
    "Avertissez l'assureur du vol de la remorque dès que vous le savez, sauf en cas de force "
    "majeure."
)


ENGLISH = "The owner must tell the insurer about the theft as soon as he knows of it."


def raised(raw, *, original=ORIGINAL, finish_reason="stop", prompt=PAPER_PROMPT, language="fr"):
    return flags(
        original=original,
        raw=raw,
        finish_reason=finish_reason,
        prompt=prompt,
        language=language,
    )


def clean(raw, *, original=ORIGINAL, prompt=PAPER_PROMPT):
    return cleaned(raw, original=original, prompt=prompt)


class TestFlags:
    @pytest.mark.parametrize(
        "fine",
        [
            FINE,
            f"  {FINE}\n",
            "Si on vole votre remorque, dites-le vite à l'assureur. Une force majeure vous excuse.",
            "L'assureur doit savoir du vol :\nle propriétaire l'avertit.",
            "Certains vols ne sont pas couverts. Avertissez l'assureur - sans tarder.",
            "Le texte dit que le propriétaire avertit l'assureur.",
            "Simplement, il faut que le propriétaire avertisse l'assureur du vol.",
            "Voici ce que le propriétaire doit faire. Il avertit l'assureur du vol.",
            "La réponse de l'assureur : il rembourse la remorque au propriétaire.",
            "En 2024, les frais sont de 3 * 4 dollars et le remboursement est de 12 dollars.",
            "La version signée du contrat doit être remise : l'assureur la garde.",
        ],
    )
    def test_a_plain_output_raises_none(self, fine):
        assert raised(fine) == []

    def test_the_end_that_the_service_told(self):
        assert raised(FINE, finish_reason="length") == ["truncated"]
        assert raised(FINE, finish_reason="content_filter") == ["filtered"]
        assert raised("", finish_reason="length") == ["truncated", "empty"]

    @pytest.mark.parametrize("nothing", ["", " ", "\n\t\r\n", "\x00", "\u00a0", "\u200b\n\u2060"])
    def test_empty(self, nothing):
        assert raised(nothing) == ["empty"]

    @pytest.mark.parametrize(
        "same", [ORIGINAL, ORIGINAL.upper(), ORIGINAL.replace("'", "’"), f"\n {ORIGINAL} "]
    )
    def test_identical(self, same):
        assert raised(same) == ["identical"]

    @pytest.mark.parametrize(
        "foreign",
        [
            ENGLISH,
            "El propietario debe avisar al asegurador del robo de su remolque en cuanto lo sepa.",
        ],
    )
    def test_not_french(self, foreign):
        assert raised(foreign) == ["language"]

    def test_where_any_language_may_come_that_of_the_original_is_expected(self):
        original = "The owner notifies the insurer of the theft of his trailer without delay."
        assert raised(ENGLISH, original=original, language="") == []
        assert raised(FINE, original=original, language="") == ["language"]
        assert raised(ENGLISH, language="") == ["language"]
        assert raised(ENGLISH, original="Art. 7", language="") == [], "nobody knows its language"

    @pytest.mark.parametrize(
        "preamble",
        [
            "Voici une version simplifiée : ",
            "Voici la phrase simplifiée :\n\n",
            "Bien sûr ! Voici une réécriture : ",
            "Bien sur! ",
            "Certainement, ",
            "D'accord. ",
            "D’accord : ",
            "Avec plaisir ! ",
            "Phrase simple : ",
            "Phrases simples : ",
            "Version simplifiée : ",
            "Texte simplifié : ",
            "Réponse : ",
            "Réécriture plus simple : ",
            "Simple: ",
            "Simplifié: ",
            "SIMPLIFICATION : ",
            "Sure! Here is the simplified version: ",
            "Here's a simpler version: ",
        ],
    )
    def test_preamble(self, preamble):
        assert raised(preamble + FINE) == ["preamble"]
        assert clean(preamble + FINE) == FINE

    def test_what_the_source_says_is_no_preamble(self):
        original = "Voici les biens exclus : les bijoux et les fourrures de l'assuré."
        said = "Voici les biens exclus : bijoux et fourrures ne sont pas couverts par le contrat."
        assert raised(said, original=original) == []
        assert clean(said, original=original) == said

    def test_echo_of_the_prompt(self):
        assert raised(f"{PAPER_PROMPT.replace('{input}', ORIGINAL)} {FINE}") == ["echo", "long"]
        assert raised("Conserve le même sens mais simplifie-le ainsi que les autres.") == ["echo"]
        assert raised(f"RÉPONDS EN FRANÇAIS! {FINE}") == []  # three words are no echo

    def test_words_of_the_source_are_no_echo(self):
        prompt = f"Comme dans l'exemple « {ORIGINAL} », simplifie : {{input}}"
        assert (
            raised(
                "Avertissez. Il faut dire le vol de sa remorque dès qu'il est connu.", prompt=prompt
            )
            == []
        )

    @pytest.mark.parametrize(
        "formatted",
        [
            f"**{FINE}**",
            f"# Le vol\n{FINE}",
            f"Avertissez :\n- {FINE}",
            f"* {FINE}",
            f"> {FINE}",
            f"```\n{FINE}\n```",
            f"{FINE} Lisez [le contrat](https://example.org).",
            f"__Important__ {FINE}",
            f"<p>{FINE}</p>",
            f"{FINE}<br/>",
            f'<span class="simple">{FINE}</span>',
        ],
    )
    def test_markdown(self, formatted):
        assert raised(formatted) == ["markdown"]
        assert "markdown" not in raised(clean(formatted))

    @pytest.mark.parametrize(
        "thought",
        [
            "<think>\n\n</think>\n\n",
            "<think>Let me see: the insured must give notice. **Simple** words.</think>",
            "<thinking>\n# Plan\nÉcrire deux phrases.\n</thinking>\n",
            "The service has written the beginning itself, and this is long enough.\n</think>\n",
        ],
    )
    def test_what_a_model_thought_before_is_a_preamble(self, thought):
        assert raised(thought + FINE) == ["preamble"]
        assert clean(thought + FINE) == FINE
        assert clean(f"{thought}Voici la phrase : {FINE}") == FINE

    def test_a_thought_that_was_cut_off_leaves_nothing(self):
        said = "<think>Il faut d'abord voir ce que dit la clause, puis"
        assert raised(said, finish_reason="length") == ["truncated", "preamble"]
        assert clean(said) == ""

    def test_tags_of_the_source_and_signs_that_are_none_stay(self):
        said = "Écrivez <montant> si le prix est < 5 $ et > 2 $."
        assert raised(said) == []
        assert clean(said) == said
        original = "L'assuré avise <b>sans délai</b> l'assureur du vol de sa remorque."
        said = "Avisez <b>vite</b> l'assureur du vol de votre remorque."
        assert raised(said, original=original) == []
        assert clean(said, original=original) == said

    def test_markdown_of_the_source_is_its_own(self):
        original = "Sont exclus :\n- les bijoux de l'assuré;\n- les fourrures de l'assuré."
        said = "Ne sont pas couverts :\n- les bijoux;\n- les fourrures."
        assert raised(said, original=original) == []
        assert clean(said, original=original) == said

    def test_far_longer(self):
        original = "L'assuré avise l'assureur sans délai."
        assert raised("L'assuré doit aviser l'assureur. " * 4, original=original) == ["long"]
        # More than twice as long, but only by a few words.
        assert (
            raised(
                "L'assuré doit aviser l'assureur, et il doit le faire sans aucun délai.",
                original=original,
            )
            == []
        )

    def test_all_of_them_in_the_same_order(self):
        raw = (
            "Bien sûr ! **Here is the thing that you asked for**, and this is what the law says. "
            * 5
        )
        raised_flags = raised(raw, original="Un.", finish_reason="length")
        assert raised_flags == ["truncated", "language", "preamble", "markdown", "long"]
        assert [flag for flag in FLAGS if flag in raised_flags] == raised_flags


class TestClean:
    @pytest.mark.parametrize(
        ("left", "right"), [("« ", " »"), ("“", "”"), ('"', '"'), ("«\u00a0", "\u00a0»")]
    )
    def test_quotation_marks_around_the_whole(self, left, right):
        assert clean(f"Voici la phrase : {left}{FINE}{right}") == FINE

    def test_quotation_marks_within_stay(self):
        said = "« Vol » veut dire vol, et « remorque » veut dire « remorque »"
        assert clean(said) == said

    def test_the_prompt_at_the_start_goes(self):
        instruction = PAPER_PROMPT.partition("{input}")[0]
        assert clean(f"{instruction}{ORIGINAL}. {FINE}") == FINE
        assert clean(f"{instruction.upper()} {FINE}") == FINE

    def test_an_echo_of_a_prompt_without_instruction(self):
        assert clean(FINE, prompt="{input}") == FINE

    def test_markdown_leaves_its_words(self):
        raw = (
            "## Le vol\n1. **Avertissez** l'assureur.\n- Lisez [le contrat](https://example.org) "
            "et __signez__."
        )
        assert clean(raw) == "Le vol\n1. Avertissez l'assureur.\nLisez le contrat et signez."

    def test_tags_leave_their_words_and_the_lines_that_they_end(self):
        raw = (
            "<p>Avertissez <b>l'assureur</b>.</p><ul><li>Signez.</li><li>Payez.</li></ul>Un<br>Deux"
        )
        assert clean(raw) == "Avertissez l'assureur.\nSignez.\nPayez.\nUn\nDeux"

    def test_nothing_left_of_a_preamble_alone(self):
        assert clean("Voici une version simplifiée :") == ""


class TestTidy:
    def test_by_hand(self):
        assert (
            tidy("\r\n Les e\u0301le\u0300ves  \t\r\nbon\u0007jour \x00") == "Les élèves\nbonjour"
        )

    def test_what_a_control_character_kept_apart_is_composed(self):
        assert tidy("e\x00\u0301") == "é"

    def test_half_a_character_is_none(self):
        """No database stores one."""
        assert tidy("a\ud83db") == "ab"

    @given(st.text(st.characters(), max_size=60))
    def test_twice_is_as_once(self, raw):
        once = tidy(raw)
        assert tidy(once) == once

    @given(st.text(st.sampled_from("ae\u0301\x00\x07 \t\r\n\u0085\u00a0\ud83d"), max_size=20))
    def test_twice_is_as_once_for_what_is_odd(self, raw):
        once = tidy(raw)
        assert tidy(once) == once
        once.encode()

    @given(st.text(max_size=60))
    def test_composed_and_without_control_characters(self, raw):
        text = tidy(raw)
        assert unicodedata.is_normalized("NFC", text)
        assert not [c for c in text if unicodedata.category(c) == "Cc" and c not in "\n\t"]
        assert text == text.strip()


SUBJECTS = (
    "L'assuré",
    "Le locataire",
    "La locatrice",
    "Le bénéficiaire",
    "Tout conducteur",
    "Une héritière",
)
VERBS = ("avise", "doit payer", "peut refuser", "rembourse", "conserve", "n'a pas à réparer")
OBJECTS = (
    "le loyer",
    "les frais",
    "l'assureur",
    "la version signée",
    "le texte du contrat",
    "une réponse écrite",
)
ENDS = (
    "",
    " sans délai",
    ", sauf en cas d'urgence",
    " : c'est la règle",
    " dans les 30 jours",
    " (voir l'article 12)",
)
CLAUSES = st.builds(
    lambda *parts: f"{parts[0]} {parts[1]} {parts[2]}{parts[3]}.",
    *(st.sampled_from(words) for words in (SUBJECTS, VERBS, OBJECTS, ENDS)),
)
# Texts made of what the patterns look for, so that they meet in every order.
PIECES = st.lists(
    st.sampled_from(
        (
            *(
                "Voici",
                " : ",
                "version simplifiée",
                "Bien sûr",
                "! ",
                "**",
                "__",
                "# ",
                "- ",
                "> ",
                "```",
                "[",
                "](",
                ")",
            ),
            *(
                "\n",
                " ",
                "«",
                "»",
                '"',
                "le loyer est payé",
                "Conserve le même sens, ",
                PAPER_PROMPT,
                "e\u0301",
                "x",
            ),
        )
    ),
    max_size=12,
).map("".join)


class TestProperties:
    @given(st.lists(CLAUSES, min_size=1, max_size=4).map(" ".join))
    def test_a_plain_clause_has_no_preamble_and_stays_as_it_is(self, text):
        raised_flags = raised(text)
        assert not {"preamble", "markdown", "echo", "empty"}.intersection(raised_flags)
        assert clean(text) == text

    @given(PIECES, st.sampled_from([ORIGINAL, "Voici : x", "**le loyer**"]))
    def test_cleaning_only_takes_away(self, raw, original):
        text = clean(raw, original=original)
        assert len(text) <= len(tidy(raw))
        assert text == text.strip()

    @given(PIECES | st.text(max_size=40))
    def test_flags_are_known_and_each_once(self, raw):
        raised_flags = raised(raw)
        assert [flag for flag in FLAGS if flag in raised_flags] == raised_flags
