"""Texts that come in: tables of pairs, the released FrJUDGE layout, languages. Pure: no Django
here."""
