"""Texts whose words cannot be told by spaces, as their characters say."""

from __future__ import annotations

import pytest

from annotation.corpus.readability import UNCUT, readability
from annotation.uncut import is_uncut, script_language


@pytest.mark.parametrize(
    ("text", "language", "uncut"),
    [
        ("保険者は三十日以内に支払う。", "ja", True),
        ("さて", "ja", True),
        ("歓声が鳴りやまない中「FIRE STORM」から。", "ja", True),
        ("「Rakuten GirlsAward 2019 AUTUMN/WINTER」で歌とダンスを披露した。", "ja", True),
        ("被保險人應於三十日內通知保險人。", "zh", True),
        ("ผู้รับประกันภัยต้องจ่ายค่าสินไหมทดแทนภายในสามสิบวัน", "th", True),
        ("ຜູ້ຮັບປະກັນໄພຕ້ອງຈ່າຍ", "lo", True),
        ("អ្នកធានារ៉ាប់រងត្រូវបង់ប្រាក់", "km", True),
        ("အာမခံသူသည် ရက်သုံးဆယ်အတွင်း ပေးချေရမည်။", "my", True),
        ("保険 者 は 三十 日 以内 に 支払う 。", "ja", False),
        ("ผู้ รับ ประกัน ภัย ต้อง จ่าย ค่า สินไหม ทดแทน", "th", False),
        ("보험자는 삼십 일 이내에 지급한다.", "", False),
        ("Le mot 保険 veut dire assurance.", "", False),
        ("L’assureur paie 500 $.", "", False),
        ("。", "", False),
        ("", "", False),
    ],
)
def test_by_characters(text, language, uncut):
    assert (script_language(text), is_uncut(text)) == (language, uncut)


def test_such_a_text_has_no_readability():
    ease = readability("保険者は三十日以内に支払う。")
    assert (ease.score, ease.reason) == (None, UNCUT)
