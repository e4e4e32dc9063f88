"""Systems side by side: which one people judge better, by how much, and how sure that is.

What is drawn anew are source texts, because outputs of one source resemble each other; people and
systems stay. Statements hold for these people and other sources.
"""
