"""Two studies of the same texts side by side: what changed, by how much, and how far they agree.

A study here is any set of judgments: another study, another round, the judgments made with the
neighbouring text or under one version of the guide. What is compared are outputs that both judged.
"""
