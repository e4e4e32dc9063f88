"""Annotators modelled: what people said of a pair as probabilities of each answer, beside majority.

Nothing here replaces people's labels. The models are crowd-kit's; it is an extra of its own
(``requirements-crowd.txt``), and where it is absent that is said.
"""
