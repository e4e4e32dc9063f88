"""Small PDF files made by hand: pages of lines, in an encoding that holds French."""

from __future__ import annotations

import io


def pdf(*pages: list[str]) -> bytes:
    """A PDF with the given lines on each page, 14 points apart."""
    shown = (b"".join(b"(" + _escaped(line) + b") Tj T*\n" for line in lines) for lines in pages)
    return _made([b"BT /F1 10 Tf 14 TL 50 740 Td\n" + stream + b"ET" for stream in shown])


def placed(*pages: list[tuple[int, int, str]]) -> bytes:
    """A PDF whose texts are drawn one by one, each at its place: points from the left, and line."""
    return _made(
        [
            b"\n".join(
                b"BT /F1 10 Tf 1 0 0 1 %d %d Tm (" % (x, 740 - 14 * line)
                + _escaped(text)
                + b") Tj ET"
                for x, line, text in texts
            )
            for texts in pages
        ]
    )


def _made(streams: list[bytes]) -> bytes:
    count = len(streams)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        (
            f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(count))}] "  # noqa: E501
            ">>"
        ).encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, stream in enumerate(streams):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    return _file(objects)


def encrypted(content: bytes, password: str, algorithm: str = "RC4-128") -> bytes:
    """The same file under ``password`` (to open it) and another (to change it)."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
    writer.encrypt(password, "owner", algorithm=algorithm)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def _escaped(line: str) -> bytes:
    return line.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: list[bytes]) -> bytes:
    content = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        len(content),
    )
    return content + head + table + trailer
