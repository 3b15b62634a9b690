# The one image of CompanyOS. Run alone it is the whole stack:
#
#   docker build -t companyos . && docker run --rm -p 8000:8000 companyos
#
# Compose runs every process from it, each with another command; the stage `browser` is an image of its own. From a
# package mirror:
#
#   docker build --secret id=pip_conf,src=$HOME/.config/pip/pip.conf -t companyos .

FROM python:3.13-slim AS build
ENV PIP_CACHE_DIR=/var/cache/pip PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
RUN python -m venv --without-pip /opt/companyos && python -m venv --without-pip tools
COPY requirements.lock deploy/requirements-build.lock ./
RUN --mount=type=cache,target=/var/cache/pip --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    python -m pip --python /opt/companyos/bin/python install --no-compile --require-hashes -r requirements.lock \
 && python -m pip --python tools/bin/python install --require-hashes -r requirements-build.lock
COPY pyproject.toml openenv.yaml README.md LICENSE ./
COPY companyos companyos
COPY services services
COPY orchestrator orchestrator
COPY scenarios scenarios
RUN python -m pip --python tools/bin/python wheel --no-build-isolation --no-deps --no-index --wheel-dir dist . \
 && python -m pip --python /opt/companyos/bin/python install --no-compile --no-deps --no-index dist/*.whl \
 && python -m compileall -q -f --invalidation-mode unchecked-hash /opt/companyos/lib
COPY deploy/make_sbom.py ./
RUN /opt/companyos/bin/python make_sbom.py < requirements.lock > /opt/companyos/sbom.cdx.json
# A cluster with every schema, for containers to copy when they start. PostgreSQL refuses to run as root.
USER nobody
RUN HOME=/tmp /opt/companyos/bin/companyos container prepare /tmp/prepared
USER root
# A pattern, since `openenv validate` keeps back what is named like a secret; make_secrets.py serves Compose only.
COPY deploy/health.py deploy/make_secret*.py /opt/companyos/deploy/
# What OpenEnv's manifest names as the proof that the environment can be solved, to be run beside the server.
COPY examples/oracle.py /opt/companyos/examples/
# A fresh named volume takes the owner of the folder it is first mounted on, so that the one-shot `secrets`
# can fill its volumes without being root. At the end, everything gets one owner, mode and date, so that two builds
# differ in nothing.
RUN mv /tmp/prepared /opt/companyos/prepared \
 && chown -R 0:0 /opt/companyos && chmod -R u=rwX,go=rX /opt/companyos \
 && for reader in keys postgres redis migrate orchestrator browser services/*/; do \
      install -d -m 0750 -o 10001 -g 10001 "/secrets/$(basename "$reader")"; \
    done \
 && find /opt /secrets -exec touch --no-dereference --date=1980-01-01T00:00:00Z {} +

# What `companyos browser` needs beside the product: Playwright here, and in the image Chromium without a window, as
# Debian packages it. Nobody who builds the product builds these two stages.
FROM build AS build-browser
COPY deploy/requirements-browser.lock ./
RUN --mount=type=cache,target=/var/cache/pip --mount=type=secret,id=pip_conf,target=/etc/pip.conf \
    python -m pip --python /opt/companyos/bin/python install --no-compile --require-hashes -r requirements-browser.lock \
 && python -m compileall -q --invalidation-mode unchecked-hash /opt/companyos/lib \
 && rm -r /opt/companyos/prepared /opt/companyos/examples \
 && find /opt -exec touch --no-dereference --date=1980-01-01T00:00:00Z {} +

FROM python:3.13-slim AS browser
RUN --mount=type=tmpfs,target=/var/lib/apt/lists --mount=type=tmpfs,target=/var/cache --mount=type=tmpfs,target=/var/log \
    began=$(date --date='1 second ago' --iso-8601=ns) \
 && apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium-headless-shell \
 && find / -xdev -newermt "$began" -writable -exec touch --no-dereference --date=1980-01-01T00:00:00Z {} +
COPY --from=build-browser /opt /opt
ENV PATH=/opt/companyos/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=20s --start-period=600s \
  CMD ["python", "-I", "-S", "/opt/companyos/deploy/health.py", "http://127.0.0.1:8000/health"]
ENTRYPOINT ["companyos", "browser", "--host", "0.0.0.0", "--port", "8000"]
LABEL org.opencontainers.image.title="CompanyOS browser" \
      org.opencontainers.image.description="Plays the episodes of a stack by pictures of its pages" \
      org.opencontainers.image.licenses="Apache-2.0 AND OFL-1.1"

FROM python:3.13-slim
ENV PATH=/opt/companyos/bin:$PATH HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    COMPANYOS_PREPARED=/opt/companyos/prepared
COPY --from=build /opt /opt
COPY --from=build /secrets /secrets
USER 10001:10001
EXPOSE 8000 8080
# The first check comes after one interval where Docker is older than 25, so the interval is short.
HEALTHCHECK --interval=5s --timeout=20s --start-period=600s \
  CMD ["python", "-I", "-S", "/opt/companyos/deploy/health.py", "http://127.0.0.1:8000/ready"]
ENTRYPOINT ["companyos"]
CMD ["container", "run"]
# What is said of this build comes last, so that it invalidates no layer; `make image` says it.
ARG COMPANYOS_VERSION=0.1.0
ARG COMPANYOS_REVISION=
ARG COMPANYOS_SOURCE=
ARG COMPANYOS_CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="CompanyOS" \
      org.opencontainers.image.description="A company for agents to work in: three services and an orchestrator" \
      org.opencontainers.image.licenses="Apache-2.0 AND OFL-1.1" \
      org.opencontainers.image.version="$COMPANYOS_VERSION" \
      org.opencontainers.image.revision="$COMPANYOS_REVISION" \
      org.opencontainers.image.source="$COMPANYOS_SOURCE" \
      org.opencontainers.image.created="$COMPANYOS_CREATED"
