from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.message import sanitize_address

from annotation.config import env


def test_text_is_required_without_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "  ")
    with pytest.raises(ImproperlyConfigured, match=r"NAME is not set\. Set NAME"):
        env.env_str("NAME")
    assert env.env_str("NAME", "else") == "else"


def test_text_is_one_of_its_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "xml")
    with pytest.raises(ImproperlyConfigured, match="one of: text, json"):
        env.env_str("NAME", "text", choices=("text", "json"))


@pytest.mark.parametrize(
    ("text", "value"), [("1", True), ("Yes", True), ("off", False), ("0", False), ("", True)]
)
def test_yes_or_no(monkeypatch: pytest.MonkeyPatch, text: str, value: bool) -> None:
    monkeypatch.setenv("NAME", text)
    assert env.env_bool("NAME", default=True) is value


def test_neither_yes_nor_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "maybe")
    with pytest.raises(ImproperlyConfigured, match=r"NAME is 'maybe'\. Set it to 1 or 0"):
        env.env_bool("NAME")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("25 MB", "Set it to a whole number, for example 5"),
        ("-1", "Set it to 0 to 9, for example 5"),
        ("10", "Set it to 0 to 9, for example 5"),
    ],
)
def test_a_number_that_is_none(monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match=said):
        env.env_int("NAME", 5, maximum=9)
    monkeypatch.setenv("NAME", "-1")
    with pytest.raises(ImproperlyConfigured, match="Set it to 2 to 9, for example 5"):
        env.env_int("NAME", 5, minimum=2, maximum=9)


@pytest.mark.parametrize(
    "text",
    [
        *("127.0.0.1:8000", "[::1]:80", ":8000", "web.example:1,unix:/run/b.sock"),
        *("fd://3", "unix:run.sock", "localhost", "0.0.0.0", "[fe80::1%eth0]:80"),
    ],
)
def test_where_a_web_server_listens(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    assert env.env_address("NAME", "127.0.0.1:8000") == text


@pytest.mark.parametrize("text", ["foo", "host:", "host:0", "host:99999", "::1:80", "http://a:80"])
def test_where_none_can_listen(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match=r"Set it to host:port \(for example 127.0.0.1"):
        env.env_address("NAME", "127.0.0.1:8000")


def test_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.env_int("NAME", 5, maximum=12) == 5
    monkeypatch.setenv("NAME", "12")
    assert env.env_int("NAME", 5, maximum=12) == 12


def test_a_number_with_more_digits_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "9" * 5000)
    with pytest.raises(ImproperlyConfigured, match="Set it to a whole number, for example 5"):
        env.env_int("NAME", 5, maximum=9)


def test_a_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.env_time_zone("NAME", "America/Toronto") == "America/Toronto"
    for value in ("Mars/Olympus", "America", "/etc/localtime", "../x"):
        monkeypatch.setenv("NAME", value)
        with pytest.raises(ImproperlyConfigured, match=r"NAME is .* for example America/Toronto"):
            env.env_time_zone("NAME", "America/Toronto")


def test_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.env_list("NAME", ["a"]) == ["a"]
    monkeypatch.setenv("NAME", "b, c,,")
    assert env.env_list("NAME", ["a"]) == ["b", "c"]


def test_folders_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.env_folders("NAME") == {}
    monkeypatch.setenv("NAME", "minilm=/srv/a, camembert-base=/srv/b=c")
    assert env.env_folders("NAME") == {"minilm": "/srv/a", "camembert-base": "/srv/b=c"}


@pytest.mark.parametrize("text", ["minilm", "MiniLM=/a", "a=models/a", "=/a", "a=/a,a=/b"])
def test_folders_without_a_name_or_a_place(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match="Write name=/folder"):
        env.env_folders("NAME")


def test_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert env.env_path("NAME", tmp_path) == tmp_path
    monkeypatch.setenv("NAME", str(tmp_path / "a" / ".." / "b"))
    assert env.env_path("NAME", tmp_path) == tmp_path / "b"


def test_a_secret_from_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden\n")
    monkeypatch.setenv("NAME_FILE", str(tmp_path / "secret"))
    assert env.env_secret("NAME") == "hidden"
    monkeypatch.setenv("NAME", "also")
    with pytest.raises(ImproperlyConfigured, match="NAME and NAME_FILE are both set"):
        env.env_secret("NAME")


def test_a_secret_from_a_file_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NAME_FILE", str(tmp_path / "none"))
    with pytest.raises(ImproperlyConfigured, match=r"NAME_FILE names .* cannot be read"):
        env.env_secret("NAME", "")


@pytest.mark.parametrize(
    "text",
    [
        *("bareme.example.org", "ftp://bareme.example.org", "https://", "https://a.b/path"),
        *("https://a.b:99999", "https://a.b?c", "https://a.b#c", "https://a b"),
    ],
)
def test_an_origin_that_is_none(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match="NAME"):
        env.env_origin("NAME")


def test_a_path_below_another_site_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAME", "https://host.example/bareme")
    with pytest.raises(ImproperlyConfigured, match="a host name of its own: it cannot be served"):
        env.env_origin("NAME")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("https://lea:hidden@a.b", "a user name or a password"),
        ("https://lea:hidden@a.b/path", "a user name or a password"),
        ("https://hidden@a.b:8443/", "a user name or a password"),
        ("https://a.b:", "a colon and no port"),
        ("https://[::1]:/", "a colon and no port"),
    ],
)
def test_an_origin_no_request_could_be_from_is_refused_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match=f"^NAME .*{said}") as raised:
        env.env_origin("NAME")
    assert "hidden" not in str(raised.value)


def test_an_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.env_origin("NAME") == ""
    monkeypatch.setenv("NAME", "https://bareme.example.org:8443/")
    assert env.env_origin("NAME") == "https://bareme.example.org:8443"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("host/hidden", "has the scheme ''"),
        ("https:host/hidden", "has the scheme ''"),
        ("ftp://host/hidden", "has the scheme 'ftp'"),
        ("https://host:99999/hidden", "has a port that is no number from 1 to 65535"),
        ("https://host:0/hidden", "has a port that is no number from 1 to 65535"),
        ("https://u:hid/den@host/", "has a port that is no number from 1 to 65535"),
        ("https://[::1/hidden", "has brackets around no IPv6 address"),
        ("https:///hidden", "names no host"),
        ("https://u:hidden@/path", "names no host"),
        ("https://my host/hidden", "names no host"),
        ("https://a..b/hidden", "names no host"),
    ],
)
def test_a_url_that_no_library_could_open(
    monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    monkeypatch.setenv("NAME", url)
    with pytest.raises(ImproperlyConfigured, match=f"^NAME {said}") as raised:
        env.env_url("NAME", schemes=("https", "http"))
    assert not any(part in str(raised.value) for part in ("hidden", "hid/den", "my host"))


@pytest.mark.parametrize(
    "url",
    [
        *(
            "https://host",
            "http://127.0.0.1:1/a?b=c",
            "http://[::1]:4318/",
            "https://my_host.:65535",
        ),
        *("https://u%2Fv@étude.example/v1", "http://[fe80::1%25eth0]"),
    ],
)
def test_a_url(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("NAME", url)
    assert env.env_url("NAME", schemes=("https", "http")) == url
    monkeypatch.setenv("NAME", url.replace("http", "HTTP", 1))
    assert env.env_url("NAME", schemes=("https", "http")) == url, "schemes are compared as written"


def test_the_broker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert env.env_broker("NAME", tmp_path / "r.sock") == f"redis+socket://{tmp_path}/r.sock"
    monkeypatch.setenv("NAME", "rediss://:secret@host:6380/2")
    assert env.env_broker("NAME", tmp_path) == "rediss://:secret@host:6380/2"


@pytest.mark.parametrize(
    "url",
    [
        *("redis://", "redis://:6379/0", "redis://host", "redis://host/"),
        *("redis://:p@127.0.0.1:6379/15", "unix:///r.sock"),
        *("rediss://host:6380/2?ssl_cert_reqs=required&ssl_ca_certs=/ca.pem", "unix://:p@/r.sock"),
    ],
)
def test_a_redis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str) -> None:
    monkeypatch.setenv("NAME", url)
    assert env.env_broker("NAME", tmp_path) == url.replace("unix", "redis+socket")
    assert env.env_caches("NAME")["default"]["LOCATION"] == url


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://:hidden@localhost:99999/0", "has a port that is no number from 1 to 65535"),
        ("redis://:hidden@localhost:6379/abc", "names a database that is no number from 0 on"),
        ("redis://:hidden@localhost:6379/-1", "names a database that is no number from 0 on"),
        ("redis://:hidden@localhost:6379/0/", "names a database that is no number from 0 on"),
        ("rediss://host?ssl_cert_reqs=CERT_REQUIRED", "has ssl_cert_reqs in a spelling"),
        ("unix://", "names no socket"),
        ("unix://hidden.sock", "names no socket"),
        ("redis+socket://host/hidden.sock", "names no socket"),
        # Celery's client takes no "db", that of Redis no "virtual_host".
        ("redis://:hidden@host?db=1", "has options after a question mark"),
        ("unix:///hidden.sock?virtual_host=1", "has options after a question mark"),
        ("redis://:hidden@host/0?ssl_cert_reqs=none", "has options after a question mark"),
    ],
)
def test_a_redis_that_no_worker_could_reach(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, said: str
) -> None:
    monkeypatch.setenv("NAME", url)
    for read in (lambda: env.env_broker("NAME", tmp_path), lambda: env.env_caches("NAME")):
        with pytest.raises(ImproperlyConfigured, match=f"^NAME {said}") as raised:
            read()
        assert "hidden" not in str(raised.value)


def test_the_database_is_sqlite_in_the_data_folder(tmp_path: Path) -> None:
    database = env.env_database("NAME", tmp_path / "file.sqlite3")
    assert (database["NAME"], database["OPTIONS"]["transaction_mode"]) == (
        str(tmp_path / "file.sqlite3"),
        "IMMEDIATE",
    )
    assert "journal_mode=WAL" in database["OPTIONS"]["init_command"]
    assert "secure_delete=ON" in database["OPTIONS"]["init_command"]


@pytest.mark.parametrize(
    ("url", "name"), [("sqlite:////a/b.db", "/a/b.db"), ("sqlite:///b%20c.db", "b c.db")]
)
def test_an_sqlite_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, name: str
) -> None:
    monkeypatch.setenv("NAME", url)
    assert env.env_database("NAME", tmp_path)["NAME"] == name


def test_a_postgresql_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NAME", "postgres://lea:p%40ss@db.example:5433/bareme?sslmode=require")
    database = env.env_database("NAME", tmp_path)
    assert [database[name] for name in ("USER", "PASSWORD", "HOST", "PORT", "NAME")] == [
        "lea",
        "p@ss",
        "db.example",
        "5433",
        "bareme",
    ]
    assert (database["OPTIONS"], database["CONN_HEALTH_CHECKS"]) == (
        {"connect_timeout": "10", "sslmode": "require"},
        True,
    )


def test_a_postgresql_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NAME", "postgresql://postgres:@/bareme?host=/run/pg")
    database = env.env_database("NAME", tmp_path)
    assert (database["HOST"], database["PORT"], database["OPTIONS"]) == (
        "/run/pg",
        "",
        {"connect_timeout": "10"},
    )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://x:hidden@host/name", "has the scheme 'mysql'"),
        ("postgres://x:hidden@host", "names no database"),
        ("postgres://x:hidden@host:port/name", "port that is no number"),
        ("postgres://x:hidden@host:99999/name", "port that is no number"),
        ("sqlite://hidden", "names no file"),
    ],
)
def test_a_database_that_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str, said: str
) -> None:
    monkeypatch.setenv("NAME", url)
    with pytest.raises(ImproperlyConfigured, match=said) as raised:
        env.env_database("NAME", tmp_path)
    assert "hidden" not in str(raised.value)


def test_a_data_folder_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NAME", str(tmp_path / "data" / "here"))
    assert env.env_data_folder("NAME", tmp_path / "else").is_dir()


def test_a_data_folder_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NAME", str(tmp_path / "file"))
    with pytest.raises(ImproperlyConfigured, match=r"cannot be used \(File exists\)\. Set NAME to"):
        env.env_data_folder("NAME", tmp_path)
    monkeypatch.setenv("NAME", str(tmp_path))
    monkeypatch.setattr(env.os, "access", lambda *_: False)
    with pytest.raises(ImproperlyConfigured, match=r"\(Permission denied\)"):
        env.env_data_folder("NAME", tmp_path)


def test_what_is_counted_is_kept_in_memory_and_apart(tmp_path: Path) -> None:
    folder, other = (env.in_memory(tmp_path / name) for name in ("a", "b"))
    assert folder == env.in_memory(tmp_path / "a")
    assert folder != other
    assert tmp_path not in folder.parents


def test_the_address_past_a_pooler_is_a_servers_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POOLER", "postgres://u@pooler:6432/bareme")
    pooled = env.env_database("POOLER")
    assert env.env_database_direct("NAME", pooled) == {}
    monkeypatch.setenv("NAME", "sqlite:///x.sqlite3")
    with pytest.raises(ImproperlyConfigured, match="postgres://"):
        env.env_database_direct("NAME", pooled)
    monkeypatch.setenv("NAME", "postgres://u@db:5433/bareme")
    assert env.env_database_direct("NAME", pooled)["PORT"] == "5433"


def test_without_a_pooler_there_is_no_way_past_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Everything would go to a file that nobody meant."""
    monkeypatch.setenv("NAME", "postgres://u:hidden@db:5433/bareme")
    with pytest.raises(
        ImproperlyConfigured, match=r"names no PostgreSQL\. Set DATABASE_URL"
    ) as said:
        env.env_database_direct("NAME", env.env_database("POOLER", tmp_path / "file.sqlite3"))
    assert "hidden" not in str(said.value)


@pytest.mark.parametrize(
    "text", ["mail.example.org", "mail", "smtp_relay", "10.0.0.1", "::1", "étude.example"]
)
def test_a_host(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    assert env.env_host("NAME") == ""
    monkeypatch.setenv("NAME", text)
    assert env.env_host("NAME") == text


@pytest.mark.parametrize(
    "text", ["http://x", "mail.example:587", "mail example", "mail/x", "a@b", "a..b", ".a", "*"]
)
def test_what_is_no_host(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match=r"which is no host name\. Set it to the name"):
        env.env_host("NAME")


SENDERS = [
    *("bareme@localhost", "bareme@my_host", "<a@b.example>", "étude@b.example", "a@[10.0.0.1]"),
    *("Barème <a@b.example>", '"Barème, équipe" <a@b.example>', "Dr. X (lab) <a@b.example>"),
]


@pytest.mark.parametrize("text", SENDERS)
def test_a_sender(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    assert env.env_sender("NAME", "a@b") == text
    assert "@" in sanitize_address(text, "utf-8"), "a letter can be sent by it"


@pytest.mark.parametrize(
    "text",
    [
        *("notanaddress", "a b@c", "a@", "@b", "a@b@c", "a@http://x", "a@b:25", "a@b c", "Lea <>"),
        *(
            "Barème <a@b",
            "Barème, équipe <a@b>",
            "a@b, c@d",
            "a@b,",
            "X.<a@b>",
            "all: a@b;",
            "Barème\n <a@b>",
        ),
    ],
)
def test_what_is_no_sender(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("NAME", text)
    with pytest.raises(ImproperlyConfigured, match="which is no e-mail address"):
        env.env_sender("NAME", "a@b")
