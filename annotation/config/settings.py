"""The one settings file. What differs between places comes from the environment; .env.example
explains each name."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from annotation.config.env import (
    env_address,
    env_bool,
    env_broker,
    env_caches,
    env_data_folder,
    env_database,
    env_database_direct,
    env_folders,
    env_host,
    env_int,
    env_list,
    env_origin,
    env_path,
    env_secret,
    env_secrets,
    env_sender,
    env_str,
    env_time_zone,
    in_memory,
)
from annotation.config.institution import env_institution
from annotation.config.llm import env_endpoints, env_prices
from annotation.config.names import unread_names
from annotation.config.secret import demo_secret_key
from annotation.config.stored import env_storage
from annotation.config.telemetry import env_reports, env_traces
from annotation.corpus.reader import Limits
from annotation.management.demo_address import demo_address
from annotation.management.embedded import socket_path

BASE_DIR = Path(__file__).resolve().parent.parent.parent

# --- Where, and for whom -------------------------------------------------------------------------
DATA_DIR = env_data_folder("BAREME_DATA_DIR", BASE_DIR / "var")
DEMO = env_bool("BAREME_DEMO")
DEBUG = env_bool("BAREME_DEBUG")
PUBLIC_URL = env_origin("BAREME_PUBLIC_URL", demo_address(DATA_DIR) if DEMO else "")
# Not required here: commands that answer no browser need no key. annotation.checks stops a server
# without one.
SECRET_KEY = demo_secret_key(DATA_DIR) if DEMO else env_secret("BAREME_SECRET_KEY", "")
SECRET_KEY_FALLBACKS = env_secrets("BAREME_SECRET_KEY_FALLBACKS")
_host = urlsplit(PUBLIC_URL).hostname or ""
# As a request names it: an IPv6 address in its brackets.
_public_hosts = [f"[{_host}]" if ":" in _host else _host] if _host else []
ALLOWED_HOSTS = env_list(
    "BAREME_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"] if DEMO else _public_hosts
)

# --- Application ---------------------------------------------------------------------------------
INSTALLED_APPS = [
    "annotation",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    # For its commands alone: what trains stands with the workers.
    "workers",
]
MIDDLEWARE = [
    "annotation.web.platform.head.HeadMiddleware",
    "annotation.web.platform.request_id.RequestIdMiddleware",
    "annotation.web.platform.metrics.MetricsMiddleware",
    "annotation.web.platform.browser_policy.BrowserPolicyMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "annotation.web.platform.static_files.StaticFilesMiddleware",
    "annotation.web.platform.tracing.TracingMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "annotation.web.platform.sessions.RoomySessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the CSRF check, which reads the body and with it the whole upload.
    "annotation.web.platform.upload_limit.UploadLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotation.web.platform.middleware.PreferencesMiddleware",
    "annotation.web.platform.door.DoorMiddleware",
    "annotation.web.accounts.second_step.SecondStepMiddleware",
    "annotation.web.studies.blindness.BlindnessMiddleware",
    "annotation.web.studies.archived.ArchiveMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Last, so that its lockout answer replaces whatever the log-in view answered.
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "annotation.config.urls"
WSGI_APPLICATION = "annotation.config.wsgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "libraries": {"bareme": "annotation.web.templatetags.bareme"},
            "builtins": ["annotation.web.templatetags.dates"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotation.web.platform.context.site",
            ],
        },
    }
]
FORM_RENDERER = "annotation.web.platform.forms_shown.Renderer"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Database ------------------------------------------------------------------------------------
DATABASES = {"default": env_database("DATABASE_URL", DATA_DIR / "bareme.sqlite3")}
# PostgreSQL plans a step of judging once per connection (annotation/prepared.py).
BAREME_PREPARED_STATEMENTS = env_bool("BAREME_PREPARED_STATEMENTS", default=True)
# Nor does a cursor on the server outlive a pooler's transaction.
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = not BAREME_PREPARED_STATEMENTS
# Past a pooler, for what keeps to one connection (annotation/pooling.py); empty: there is none.
DATABASE_DIRECT = env_database_direct("BAREME_DATABASE_DIRECT_URL", DATABASES["default"])

# Counts of requests, seen by every web process where there is a Redis for all of them: `serve` puts
# its private one here when it has started it. Nothing is lost with it.
CACHES = env_caches("REDIS_URL")

# --- People --------------------------------------------------------------------------------------
AUTH_USER_MODEL = "annotation.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
_VALIDATION = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {
        "NAME": f"{_VALIDATION}.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {"NAME": f"{_VALIDATION}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATION}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATION}.NumericPasswordValidator"},
    # Refuses none: it is told of each new one.
    {"NAME": "annotation.services.accounts.new_password.TokensEnd"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_RESET_TIMEOUT = 24 * 3600

AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
# Name and address together, for browsers in which nobody has logged in as this person; those in
# which they have are counted each for itself.
AXES_HANDLER = "annotation.web.accounts.known_browsers.KnownBrowsers"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
# Wrong passwords for one account from all addresses together, without those known browsers.
STRANGERS_LIMIT = 50
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_CALLABLE = "annotation.web.platform.views.errors.locked_out"
AXES_HTTP_RESPONSE_CODE = 429
AXES_USERNAME_FORM_FIELD = "username"
AXES_USERNAME_CALLABLE = "annotation.config.throttling.login_name"
AXES_CLIENT_IP_CALLABLE = "annotation.config.throttling.client_address"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
# Of whom the second step of the log-in is asked; everybody may turn it on.
SECOND_FACTOR_FOR = env_str(
    "BAREME_SECOND_FACTOR_FOR", "nobody", choices=("nobody", "admins", "leads")
)
OTP_TOTP_ISSUER = "Barème"
# Whose accounts let people in, beside their password here.
INSTITUTION = env_institution()
# Network addresses are personal data: kept as long as an attack may have to be looked into, and no
# longer.
ACCESS_RECORD_DAYS = env_int("BAREME_ACCESS_RECORD_DAYS", 90, maximum=3650)
TRUSTED_PROXIES = env_int("BAREME_TRUSTED_PROXIES", 0, maximum=20)

# --- Sessions, cookies, transport ----------------------------------------------------------------
SESSION_ENGINE = "annotation.web.platform.session_store"
MESSAGE_STORAGE = "annotation.web.platform.message_storage.OwnMessages"
SESSION_COOKIE_AGE = 8 * 3600
SESSION_COOKIE_NAME = "bareme_session"
CSRF_COOKIE_NAME = "bareme_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "annotation.web.platform.views.errors.csrf_failure"
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []
# Plain http is for one's own machine; annotation.checks refuses it for any other public address.
TLS = not DEMO and not PUBLIC_URL.startswith("http://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = TLS
SECURE_SSL_REDIRECT = TLS
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^servez$", r"^healthz$", r"^readyz$", r"^metrics$"]
_YEAR = 365 * 24 * 3600
SECURE_HSTS_SECONDS = env_int("BAREME_HSTS_SECONDS", _YEAR, maximum=10 * _YEAR) if TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env_bool("BAREME_HSTS_SUBDOMAINS")
# Both speak for the whole domain, which is for its owner to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TLS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
UPLOAD_LIMIT_BYTES = env_int(
    "BAREME_UPLOAD_LIMIT_BYTES", 25 * 1024 * 1024, minimum=1024, maximum=1024 * 1024 * 1024
)
# Of a body that is held in memory whole, as JSON is: where rows are taken, and anywhere else
# (annotation.web.platform.upload_limit). As objects it takes up to 25 times as much.
DATA_UPLOAD_MAX_MEMORY_SIZE = min(UPLOAD_LIMIT_BYTES, 10 * 1024 * 1024)
BODY_LIMIT_BYTES = min(UPLOAD_LIMIT_BYTES, 3 * 1024 * 1024)

# --- Protocols (annotation.protocols.registry) ---------------------------------------------------
# This installation's own protocols, beside those that Barème publishes: modules, and files of JSON,
# whose paths are whole, since a process that Barème starts may stand in another folder.
PROTOCOLS = [
    str(Path(source).expanduser().absolute()) if source.endswith(".json") else source
    for source in env_list("BAREME_PROTOCOLS")
]

# --- Reading files (annotation.reading) ----------------------------------------------------------
# What the process that reads one uploaded file may take, and how many there may be on a machine.
READING_LIMITS = Limits(
    cpu_seconds=env_int("BAREME_READING_CPU_SECONDS", 20, minimum=1, maximum=3600),
    wall_seconds=env_int("BAREME_READING_SECONDS", 60, minimum=1, maximum=3600),
    memory_bytes=env_int("BAREME_READING_MEMORY_MB", 512, minimum=64, maximum=1024 * 1024)
    * 1024
    * 1024,
    output_bytes=128 * 1024 * 1024,
)
# The same while somebody waits for the page. What asks for more is read by a worker.
READING_LIMITS_AT_ONCE = Limits(
    cpu_seconds=3, wall_seconds=5, memory_bytes=192 * 2**20, output_bytes=32 * 2**20
)
READING_AT_ONCE = env_int("BAREME_READING_AT_ONCE", 2, minimum=1, maximum=256)
# For a place among them; a page that waits longer says so.
READING_WAIT_SECONDS = 2.0

# --- API -----------------------------------------------------------------------------------------
# Requests of one person, whatever the number of their tokens and machines.
API_REQUESTS_PER_MINUTE = env_int(
    "BAREME_API_REQUESTS_PER_MINUTE", 600, minimum=1, maximum=1_000_000
)
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["api.permissions.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": ["api.throttling.PersonThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "api.schema.Schema",
    "EXCEPTION_HANDLER": "api.problems.exception_handler",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Barème",
    "DESCRIPTION": "Judging whether a simplified legal text still says what the law says.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    # Labels of choices are in the reader's language; the schema is the same for everybody.
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "LICENSE": {"name": "MIT"},
    "PREPROCESSING_HOOKS": ["api.schema.only_this_version"],
    # Choices stand where they are used: two fields named «state» have little in common.
    "POSTPROCESSING_HOOKS": ["api.schema.lines_joined"],
}

# --- Language and time ---------------------------------------------------------------------------
LANGUAGE_CODE = "fr"
LANGUAGES = [("fr", _("French")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["annotation.config.formats"]
TIME_ZONE = env_time_zone("BAREME_TIME_ZONE", "America/Toronto")
USE_TZ = True

# --- Files ---------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = env_path("BAREME_STATIC_DIR", DATA_DIR / "static")
MEDIA_ROOT = DATA_DIR / "files"
STORAGES = {
    # Uploads; and what annotation.sharing hands from one machine to another.
    "default": env_storage(),
    "staticfiles": {"BACKEND": "annotation.config.storage.StaticStorage"},
    # Trainings and scorers: the machine that trains need not be the one that scores.
    "artefacts": env_storage(),
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- Backups (annotation.backup) -----------------------------------------------------------------
# In hours; 0: not by itself.
BACKUP_EVERY_HOURS = env_int("BAREME_BACKUP_EVERY", 0, maximum=365 * 24)
BACKUP_DIR = env_path("BAREME_BACKUP_DIR", DATA_DIR / "backups")
BACKUP_KEEP = env_int("BAREME_BACKUP_KEEP", 14, minimum=1, maximum=10_000)
BACKUP_KEEP_WEEKS = env_int("BAREME_BACKUP_KEEP_WEEKS", 4, maximum=520)
# Keys as text, read where they are used; annotation.checks says at the start what is none.
BACKUP_SIGNING_KEY = env_secret("BAREME_BACKUP_SIGNING_KEY", "")
BACKUP_SIGNED_BY = env_list("BAREME_BACKUP_SIGNED_BY")
BACKUP_RECIPIENTS = env_list("BAREME_BACKUP_RECIPIENTS")

# --- Mail ----------------------------------------------------------------------------------------
EMAIL_HOST = env_host("BAREME_EMAIL_HOST")
# Without a mail server, messages (they hold links only) go to the terminal and leads copy links by
# hand.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env_int("BAREME_EMAIL_PORT", 587, minimum=1, maximum=65535)
EMAIL_HOST_USER = env_str("BAREME_EMAIL_USER", "")
EMAIL_HOST_PASSWORD = env_secret("BAREME_EMAIL_PASSWORD", "")
EMAIL_USE_TLS = env_bool("BAREME_EMAIL_TLS", default=True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env_sender("BAREME_EMAIL_FROM", "bareme@localhost")

# --- Background work (read by workers.celery) ----------------------------------------------------
CELERY_BROKER_URL = env_broker("REDIS_URL", socket_path(DATA_DIR))
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_TIMEZONE = TIME_ZONE
# Acknowledge when done and give back what a dying process held: tasks are idempotent, losing one is
# worse.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_POOL = "prefork"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 3.0
CELERY_TASK_SOFT_TIME_LIMIT = 55 * 60
CELERY_TASK_TIME_LIMIT = 60 * 60
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Redis returns an unacknowledged message after this long, so it must exceed the longest task; a
# message that is really lost comes back much sooner, through the sweep.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 2 * CELERY_TASK_TIME_LIMIT,
    "unacked_restore_interval": 10,
    "socket_keepalive": True,
}
CELERY_BEAT_SCHEDULER = "workers.beat:Beat"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "workers.sweep.turn", "schedule": 30.0, "options": {"expires": 30}}
}

# --- Web server (annotation.config.gunicorn): read here, so that any command refuses what it would
WEB_BIND = env_address("BAREME_WEB_BIND", "127.0.0.1:8000")
WEB_PROCESSES = env_int("BAREME_WEB_PROCESSES", 2, minimum=1, maximum=512)
WEB_THREADS = env_int("BAREME_WEB_THREADS", 2, minimum=1, maximum=512)
# From SIGTERM until it stops answering; longer than the proxy takes to find out (Caddyfile).
WEB_DRAIN_SECONDS = env_int("BAREME_WEB_DRAIN_SECONDS", 0, maximum=3600)
# Then what has begun is answered for so long, and a moment later nothing is left.
WEB_GRACEFUL_SECONDS = 4
WEB_STOP_SECONDS = WEB_DRAIN_SECONDS + WEB_GRACEFUL_SECONDS + 1

# --- Language models: asked by workers only ------------------------------------------------------
LLM_ENDPOINTS = env_endpoints()
LLM_PRICES = env_prices()
LLM_TIMEOUT_SECONDS = env_int("BAREME_LLM_TIMEOUT_SECONDS", 60, minimum=1, maximum=3600)
LLM_QUEUE = env_str("BAREME_LLM_QUEUE", "llm")

# --- Scorers: a queue of their own, since a training may take hours ------------------------------
TRAINING_QUEUE = env_str("BAREME_TRAINING_QUEUE", "training")
# Modelling annotators takes as long as many exports: under `manage.py serve` in a queue of its own.
MODELLING_QUEUE = env_str("BAREME_MODELLING_QUEUE", CELERY_TASK_DEFAULT_QUEUE)

# --- Encoders that metrics are computed with (workers.metrics.encoders) --------------------------
ENCODERS = env_folders("BAREME_ENCODERS")

# --- Metrics for Prometheus: counted by each web process, in files that they share ---------------
METRICS_TOKEN = env_secret("BAREME_METRICS_TOKEN", "")
METRICS_DIR = env_path("BAREME_METRICS_DIR", in_memory(DATA_DIR))
if METRICS_TOKEN:
    # Read by prometheus_client when it is imported.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_DIR)

# --- Traces and errors, sent to where an installation asks for it --------------------------------
TRACES = env_traces()
SENTRY_DSN = env_reports()

# --- What is set and read by nobody (annotation.checks) ------------------------------------------
UNREAD_NAMES = unread_names(os.environ)

# --- Logs: ids and durations, never a text or a judgment -----------------------------------------
# One line for each answer of a view.
ACCESS_LOG = env_bool("BAREME_ACCESS_LOG", default=not DEMO)
LOG_FORMAT = env_str("BAREME_LOG_FORMAT", "text" if DEMO else "json", choices=("text", "json"))
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "annotation.config.logs.TextLines"},
        "json": {"()": "annotation.config.logs.JsonLines"},
    },
    "filters": {
        "quotes": {"()": "annotation.config.logs.WithoutQuotes"},
        "secret_paths": {"()": "annotation.config.logs.WithoutSecretPaths"},
        "reference": {"()": "annotation.config.logs.WithReference"},
        "planned_stops": {"()": "annotation.config.logs.WithoutPlannedStops"},
        "no_database": {"()": "annotation.config.logs.WithoutStacksOfNoDatabase"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["quotes", "secret_paths", "reference"],
        }
    },
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "annotation": {"level": "INFO"},
        "workers": {"level": "INFO"},
        # Django's own handlers would print each record a second time.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # Before any handler, that of error reports among them.
        "django.request": {"filters": ["planned_stops", "no_database"]},
        "django.server": {"handlers": ["console"], "level": "INFO", "propagate": False},
        "celery": {"level": "WARNING"},
    },
}
if SENTRY_DSN:
    LOGGING["handlers"]["reports"] = {
        "class": "annotation.config.error_reports.Reports",
        "dsn": SENTRY_DSN,
        "environment": "demonstration" if DEMO else "production",
        "filters": ["reference"],
    }
    LOGGING["root"]["handlers"].append("reports")
