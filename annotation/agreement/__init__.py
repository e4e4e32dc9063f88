"""Agreement among raters, final labels, and where disagreement comes from. Pure: no Django here."""
