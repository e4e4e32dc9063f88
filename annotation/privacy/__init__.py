"""How people are recognised in text: PURE. Folding, names, common words, ways to reach somebody."""
