"""``manage.py erase_person EMAIL --judgments keep --reason …``: erase an account where nobody can
by the page; or the address of somebody who was invited and never came."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.errors import RuleError
from annotation.management.files import refused
from annotation.management.keys import need_key
from annotation.management.persons import existing_person
from annotation.models import ErasureRequest, User
from annotation.selectors.privacy.erasure_places import Excerpt, edits, excerpts, places
from annotation.selectors.privacy.identity import Identity
from annotation.services.privacy.erasure import erasure_grant
from annotation.services.privacy.erasure_requests import erasure_place_decide, erasure_request
from annotation.services.privacy.invited import address_erase, address_is_invited, address_places

_UNLISTED = (
    "The account is erased, but the list of erasures could not be written: {places}. A backup from "
    "before, restored elsewhere, would bring the person back. Make it writable by the user of this "
    "process, or make room; then add this line at its end (in a storage it is a file of its own), "
    "and keep a copy outside of the data folder:\n{line}"
)


class Command(BaseCommand):
    help = (
        "Erase a person's account for good: name, address, password, sessions, tokens, "
        "invitations, access records. Submitted judgments stay under their pseudonym. Cannot be "
        "undone. Prints the statement as JSON. With --show, prints where the person is mentioned "
        "and changes nothing. Of an address that no account has, invitations to it and access "
        "records go; this asks for --reason alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="the person's address")
        parser.add_argument(
            "--show", action="store_true", help="list the mentions as JSON lines, and erase nothing"
        )
        parser.add_argument(
            "--judgments",
            choices=ErasureRequest.Judgments.values,
            help="keep: they stay in later releases; leave_out: they do not",
        )
        parser.add_argument("--reason", help="on what ground; write no name")
        parser.add_argument(
            "--keep-out",
            action="append",
            default=[],
            metavar="PLACE=WHY",
            help="leave this mention; may be repeated",
        )
        parser.add_argument(
            "--take-out",
            action="append",
            default=[],
            metavar="PLACE",
            help="a mention that would be left by itself",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if address_is_invited(options["email"]):
            self._of_nobody(options)
            return
        user = existing_person(options["email"])
        if options["show"]:
            self._show(user)
            return
        if not options["judgments"] or not options["reason"]:
            raise CommandError("--judgments and --reason are needed (or --show).")
        need_key("with which log-ins say whose they are")
        try:
            done = self._erase(user, options)
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(json.dumps(done.statement, indent=2))
        if done.unlisted:
            raise CommandError(
                _UNLISTED.format(places=" and ".join(done.unlisted_in), line=done.unlisted)
            )
        self.stderr.write(
            "Erased. Backups made before hold the former data until they are thrown away; keep a "
            "copy of the list "
            "erasures.jsonl of the data folder outside of it, by which a restore erases again."
        )

    def _of_nobody(self, options: dict[str, Any]) -> None:
        """Where no account has the address: whoever was invited and never came."""
        if options["show"]:
            self._show_places(excerpts(address_places(options["email"])))
            return
        if not options["reason"]:
            raise CommandError("--reason is needed (or --show).")
        try:
            done = address_erase(actor=None, email=options["email"], reason=options["reason"])
        except RuleError as error:
            raise refused(error) from error
        self.stdout.write(json.dumps(done, indent=2))
        self.stderr.write(
            "Erased; no account has this address. What is left stands in what people typed: edit "
            "it there (--show says where). Backups made before hold the address until they are "
            "thrown away: after a restore, erase it again."
        )

    @transaction.atomic
    def _erase(self, user: User, options: dict[str, Any]) -> ErasureRequest:
        judgments = options["judgments"]
        waiting = ErasureRequest.objects.filter(user=user, state=ErasureRequest.State.OPEN).first()
        request = waiting or erasure_request(actor=None, user=user, wish=judgments)
        kept = [tuple(place.partition("=")[::2]) for place in options["keep_out"]]
        for key, take, why in [
            *((key, False, why) for key, why in kept),
            *((k, True, "") for k in options["take_out"]),
        ]:
            erasure_place_decide(
                actor=None, request=request, key=key, shown="", take=take, reason=why
            )
        return erasure_grant(
            actor=None, request=request, judgments=judgments, reason=options["reason"]
        )

    def _show(self, user: User) -> None:
        identity = Identity.of(user)
        shown, standing = excerpts(places(identity)), edits(identity)
        if not shown and not standing:
            self.stderr.write("This person is mentioned in no text: there is nothing to decide on.")
        self._show_places(shown)
        for edit in standing:
            self.stdout.write(
                json.dumps({"to_edit": edit.column, "study": edit.study, "row": str(edit.pk)})
            )

    def _show_places(self, shown: list[Excerpt]) -> None:
        for excerpt in shown:
            place = excerpt.place
            facts = {
                "place": place.key,
                "study": excerpt.study,
                "goes": place.is_taken,
                "doubt": place.doubt,
            }
            text = {"before": excerpt.before, "mention": excerpt.mention, "after": excerpt.after}
            self.stdout.write(json.dumps(facts | text, ensure_ascii=False))
