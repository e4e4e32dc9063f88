"""Agreement on edits that people marked on both texts of pairs: on tokens, each side on its own,
and on the edits themselves.

What is drawn anew for intervals are pairs, with all of their tokens and edits: those of one pair
resemble each other.
"""
