"""Other programs' exports, one reader in one file each; a line here makes one known. Pure."""

from annotation.corpus.peers import argilla, doccano, inception, label_studio, potato, prodigy
from annotation.corpus.peers.peer import ANNOTATOR, FILE, Peer

PEERS: tuple[Peer, ...] = (
    label_studio.TASKS,
    label_studio.ANNOTATIONS,
    prodigy.PEER,
    doccano.PEER,
    potato.PEER,
    argilla.PEER,
    inception.PEER,
)
"""Asked in this order: whoever knows the first object of a file reads it."""

__all__ = ["ANNOTATOR", "FILE", "PEERS", "Peer"]
