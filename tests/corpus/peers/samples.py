"""Small exports in exactly the shape that each program writes, with sentences of our own.

Where each shape was read from is said beside it. The pair, its two judges and their answers are
the same in all of them: ``WHAT`` is what a study by JADES should get of each.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

ORIGINAL = "La prime est due dans les trente jours."
SIMPLE = "Payez la prime dans les 30 jours."
WHAT = [("ann-1", "4", "3", "2"), ("ann-2", "4", "4", "3")]
"""Who, and their fluency, meaning and simplicity."""
NAMES = ("fluency", "meaning", "simplicity")


def lines(*objects: Any) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in objects).encode()


def archive(**files: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as written:
        for name, content in files.items():
            written.writestr(name.replace("__", "/").replace("_dot_", "."), content)
    return into.getvalue()


# -- Label Studio: written by the converter of label-studio-sdk 2.1.2 -----------------------------


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"x{name}",
        "from_name": name,
        "to_name": "simplification",
        "type": kind,
        "origin": "manual",
        "value": value,
    }


def label_studio_annotation(number: int, who: Any, values: tuple[str, ...], **more: Any) -> Any:
    fluency, meaning, simplicity = values
    return {
        "id": 70 + number,
        "completed_by": who,
        "result": [
            _result("fluency", "choices", {"choices": [fluency]}),
            _result("meaning", "rating", {"rating": int(meaning)}),
            _result("simplicity", "number", {"number": int(simplicity)}),
            _result("comment", "textarea", {"text": ["Un mot."]}),
        ],
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2024-01-01T00:00:00Z",
        "updated_at": "2024-01-01T00:00:00Z",
        "lead_time": 7.6,
        **more,
    }


def label_studio_task(*annotations: Any) -> Any:
    return {
        "id": 11,
        "annotations": list(annotations),
        "drafts": [],
        "predictions": [],
        "data": {
            "original": ORIGINAL,
            "simplification": SIMPLE,
            "system": "s1",
            "meta": {"source": "Contrat A"},
        },
        "meta": {},
        "inner_id": 1,
        "total_annotations": 2,
        "cancelled_annotations": 0,
        "project": 3,
    }


PEOPLE = (
    {"id": 1, "email": "un@example.org", "first_name": "", "last_name": ""},
    {"id": 2, "email": "deux@example.org", "first_name": "", "last_name": ""},
)
LABEL_STUDIO = json.dumps(
    [
        label_studio_task(
            label_studio_annotation(1, "ann-1", WHAT[0][1:]),
            label_studio_annotation(2, "ann-2", WHAT[1][1:]),
            label_studio_annotation(3, "ann-3", WHAT[1][1:], was_cancelled=True),
        )
    ]
).encode()
LABEL_STUDIO_MIN = json.dumps(
    [
        {
            "original": ORIGINAL,
            "simplification": SIMPLE,
            "system": "s1",
            "meta": {"source": "Contrat A"},
            "id": 11,
            "fluency": fluency,
            "meaning": [{"rating": int(meaning)}],
            "simplicity": [{"number": int(simplicity)}],
            "comment": "Un mot.",
            "annotator": who,
            "annotation_id": 70,
            "created_at": "2024-01-01T00:00:00Z",
            "updated_at": "2024-01-01T00:00:00Z",
            "lead_time": 7.6,
        }
        for who, fluency, meaning, simplicity in WHAT
    ]
).encode()
_CSV_HEAD = (
    '"annotation_id","annotator","comment","created_at","fluency","id","lead_time","meaning",'
    '"meta","original","simplicity","simplification","system","updated_at"\n'
)
LABEL_STUDIO_CSV = (
    _CSV_HEAD
    + "".join(
        f'70,"{who}","Un mot.","2024-01-01T00:00:00Z",{fluency},11,7.6,'
        f'"[{{""rating"":{meaning}}}]","{{""source"":""Contrat A""}}","{ORIGINAL}",'
        f'"[{{""number"":{simplicity}}}]","{SIMPLE}","s1","2024-01-01T00:00:00Z"\n'
        for who, fluency, meaning, simplicity in WHAT
    )
).encode()

# -- Prodigy: the keys that its documentation lists for db-out (1.11 and later) -------------------


def prodigy_task(who: str, values: tuple[str, ...], **more: Any) -> Any:
    labels = dict(zip(NAMES, values, strict=True))
    return {
        "text": SIMPLE,
        "original": ORIGINAL,
        "simplification": SIMPLE,
        "meta": {"system": "s1", "source": "Contrat A"},
        "options": [{"id": value, "text": value} for value in "1234"],
        "accept": [labels["fluency"]],
        "meaning": labels["meaning"],
        "simplicity": labels["simplicity"],
        "_input_hash": 1217161573,
        "_task_hash": -1298236362,
        "_view_id": "blocks",
        "answer": "accept",
        "_timestamp": 1700000000,
        "_annotator_id": who,
        "_session_id": f"essai-{who}",
        **more,
    }


PRODIGY = lines(
    *(prodigy_task(who, values) for who, *values in WHAT),
    prodigy_task("ann-3", WHAT[0][1:], answer="ignore"),
)

# -- doccano: backend/data_export at 1.8 (an archive with a file for each annotator) --------------


def doccano_example(label: list[Any], **more: Any) -> Any:
    return {"id": 5, "text": SIMPLE, "original": ORIGINAL, "label": label, "Comments": [], **more}


DOCCANO = archive(
    un_dot_jsonl=lines(doccano_example(["4"]), doccano_example([], id=6)),
    deux_dot_jsonl=lines(doccano_example(["3"], Comments=["Un mot."])),
)

# -- Potato: flask_server.save_all_annotations of 1.x; export/tabular_exporter.py of 2.12.1 -------


def potato_line(values: tuple[str, ...]) -> Any:
    return {
        "id": "item-1",
        "displayed_text": f"{ORIGINAL}<br>{SIMPLE}",
        "label_annotations": {
            name: {value: value} for name, value in zip(NAMES, values, strict=True)
        },
        "span_annotations": {},
        "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 5s "},
    }


POTATO_ITEMS = lines({"id": "item-1", "original": ORIGINAL, "simplification": SIMPLE})
POTATO = archive(
    **{
        "data__items_dot_jsonl": POTATO_ITEMS,
        **{
            f"annotation_output__{who}__annotated_instances_dot_jsonl": lines(potato_line(values))
            for who, *values in WHAT
        },
    }
)
POTATO_2 = archive(
    items_dot_jsonl=POTATO_ITEMS,
    annotations_dot_jsonl=lines(
        *(
            {
                "instance_id": "item-1",
                "user_id": who,
                "labels": {name: {value: value} for name, value in zip(NAMES, values, strict=True)},
                "spans": {},
                "links": {},
            }
            for who, *values in WHAT
        )
    ),
)

# -- Argilla: records/_io/_generic.py and _datasets.py of 2.x -------------------------------------


def argilla_record(**more: Any) -> Any:
    record: dict[str, Any] = {
        "id": "r1",
        "status": "completed",
        "_server_id": "0b3c",
        "original": ORIGINAL,
        "simplification": SIMPLE,
        "system": "s1",
    }
    for place, name in enumerate(NAMES, start=1):
        record[f"{name}.responses"] = [int(judgment[place]) for judgment in WHAT]
        record[f"{name}.responses.users"] = [judgment[0] for judgment in WHAT]
        record[f"{name}.responses.status"] = ["submitted", "submitted"]
    return record | more


ARGILLA = lines(argilla_record())

# -- INCEpTION: the shapes of its own test data ---------------------------------------------------
#
# UIMA CAS JSON: tests/test_files/json/fs_as_array/one-way/tsv3-testSimpleSlotFeature/data.json and
# …/ser-ref/casWithEmojiUnicodeTextAndAnnotations/data.json of dkpro/dkpro-cassis. XMI and TSV: in
# inception-io-webanno-tsv/src/test/resources/tsv3-suite of inception-project/inception,
# testTokenBoundedSpanWithFeatureValue/reference.xmi, and reference.tsv of
# testStackedSubMultiTokenSpanWithFeatureValue, testSentenceWithEmoji, testSentenceWithTab,
# testSentenceWithLineBreak and sampleSlotAnnotation1. The archive: AnnotationDocumentExporter.

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
SPANS = ((0, 5, "loss"), (9, 14, "other"))
"""Begin, end and kind of two passages of the simplification."""


def cas_json(values: tuple[str, ...], *, text: str = SIMPLE, **more: Any) -> Any:
    """A document with what one person says of it as a whole, and two passages."""
    return {
        "%TYPES": {
            "webanno.custom.Quality": {
                "%NAME": "webanno.custom.Quality",
                "%SUPER_TYPE": "uima.cas.AnnotationBase",
                **{
                    name: {"%NAME": name, "%RANGE": "uima.cas.String"}
                    for name in (*NAMES, "comment")
                },
            },
            "webanno.custom.Errors": {
                "%NAME": "webanno.custom.Errors",
                "%SUPER_TYPE": "uima.tcas.Annotation",
                "kind": {"%NAME": "kind", "%RANGE": "uima.cas.String"},
                "links": {"%NAME": "links", "%RANGE": "webanno.custom.LinkType[]"},
            },
        },
        "%FEATURE_STRUCTURES": [
            {
                "%ID": 1,
                "%TYPE": "uima.cas.Sofa",
                "sofaNum": 1,
                "sofaID": "_InitialView",
                "mimeType": "text",
                "sofaString": text,
            },
            {
                "%ID": 2,
                "%TYPE": f"{_DKPRO}.metadata.type.DocumentMetaData",
                "@sofa": 1,
                "begin": 0,
                "end": len(text),
                "documentId": "clause-1.txt",
                "isLastSegment": False,
            },
            {
                "%ID": 3,
                "%TYPE": f"{_DKPRO}.segmentation.type.Token",
                "@sofa": 1,
                "begin": 0,
                "end": 5,
                "order": 0,
            },
            {"%ID": 4, "%TYPE": "webanno.custom.Quality", "@sofa": 1}
            | dict(zip(NAMES, values, strict=True)),
            *(
                {
                    "%ID": 5 + place,
                    "%TYPE": "webanno.custom.Errors",
                    "@sofa": 1,
                    "begin": begin,
                    "end": end,
                    "kind": kind,
                    "@links": 9,
                }
                for place, (begin, end, kind) in enumerate(SPANS)
            ),
            {"%ID": 9, "%TYPE": "webanno.custom.LinkType[]", "%ELEMENTS": []},
        ],
        "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3, 4, 5, 6]}},
        **more,
    }


def cas_xmi(values: tuple[str, ...]) -> bytes:
    said = " ".join(f'{name}="{value}"' for name, value in zip(NAMES, values, strict=True))
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI '
        'xmlns:tcas="http:///uima/tcas.ecore" xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" '
        'xmlns:type3="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore" '
        'xmlns:type5="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" '
        'xmi:version="2.0">\n    <cas:NULL xmi:id="0"/>\n'
        f'    <type3:DocumentMetaData xmi:id="1" sofa="12" begin="0" end="{len(SIMPLE)}" '
        'documentId="clause-1.txt" isLastSegment="false"/>\n'
        '    <type5:Token xmi:id="19" sofa="12" begin="0" end="5"/>\n'
        f'    <custom:Quality xmi:id="20" sofa="12" {said}/>\n'
        + "".join(
            f'    <custom:Errors xmi:id="{30 + begin}" sofa="12" begin="{begin}" end="{end}" '
            f'kind="{kind}"><tags>a</tags></custom:Errors>\n'
            for begin, end, kind in SPANS
        )
        + f'    <cas:Sofa xmi:id="12" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        f'sofaString="{SIMPLE}"/>\n    <cas:View sofa="12" members="1 19 20 30 39"/>\n</xmi:XMI>\n'
    ).encode()


INCEPTION_ITEMS = lines(
    {"id": "clause-1.txt", "original": ORIGINAL, "simplification": SIMPLE, "system": "s1"}
)
_NOBODY = {"exportedproject.json": b'{"name": "essai"}', "source/clause-1.txt": SIMPLE.encode()}


def project(**files: bytes) -> bytes:
    """The archive of a whole project; the table of its pairs was laid beside its folders."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as written:
        for name, content in (_NOBODY | files).items():
            written.writestr(name, content)
    return into.getvalue()


def _of_people(ending: str, content: Any) -> dict[str, bytes]:
    return {
        f"annotation/clause-1.txt/{who}{ending}": content(tuple(values)) for who, *values in WHAT
    }


def _json(values: tuple[str, ...]) -> bytes:
    return json.dumps(cas_json(values), indent=2).encode()


def _zipped(values: tuple[str, ...]) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as written:
        written.writestr("TypeSystem.xml", "<typeSystemDescription/>")
        written.writestr("clause-1.txt.xmi", cas_xmi(values))
    return into.getvalue()


INCEPTION = project(
    **{"pairs.jsonl": INCEPTION_ITEMS, "annotation/clause-1.txt/INITIAL_CAS.json": b"{"},
    **{"curation/clause-1.txt/CURATION_USER.json": b"{", "annotation_ser/clause-1.txt/x.ser": b"x"},
    **_of_people(".json", _json),
)
INCEPTION_XMI = project(**{"pairs.jsonl": INCEPTION_ITEMS}, **_of_people(".xmi", cas_xmi))
INCEPTION_ZIP = project(**{"pairs.jsonl": INCEPTION_ITEMS}, **_of_people(".zip", _zipped))
INCEPTION_TSV = (
    "#FORMAT=WebAnno TSV 3.3\n"
    "#T_SP=webanno.custom.Errors|kind|weight\n"
    "#T_SP=webanno.custom.Host|ROLE_webanno.custom.Host:links_webanno.custom.Link|"
    "uima.tcas.Annotation\n"
    "#T_SP=webanno.custom.Plain|\n"
    "#T_RL=webanno.custom.Relation|label|BT_webanno.custom.Errors\n\n\n"
    "#Sentence.id=s1\n"
    "#Text=Payez \\ta 😊 .\n"
    "1-1\t0-5\tPayez\tloss[1]|other[2]\t3[1]|*[2]\t_\t_\t_\t_\t_\t\n"
    "1-1.1\t0-3\tPay\ta\\_b\t*\t_\t_\t_\t_\t_\t\n"
    "1-2\t7-8\ta\tloss[1]\t3[1]\t_\t_\t*\t_\t_\t\n"
    "1-3\t9-11\t😊\t_\t_\tp\t1-1\t_\tx\t1-1\t\n"
    "1-4\t12-13\t.\t*\t*\t_\t_\t_\t_\t_\t\n"
    "\n"
    "#Text=Deux\n"
    "#Text=lignes.\n"
    "2-1\t15-19\tDeux\t_\t_\t_\t_\t_\t_\t_\t\n"
    "2-2\t20-27\tlignes.\tfin\t_\t_\t_\t_\t_\t_\t\n"
).encode()
