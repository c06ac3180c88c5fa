# The HTTP service: docker build -t bodytext . && docker run --rm -p 127.0.0.1:8765:8765 bodytext
FROM python:3.13-slim AS build
# Debian keeps one version of each package, so a pinned one would soon be gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE constraints.txt ./
COPY src ./src
RUN python -m venv /opt/bodytext \
    && /opt/bodytext/bin/pip install --no-cache-dir -c constraints.txt '.[web,fetch]'

FROM python:3.13-slim
COPY --from=build /opt/bodytext /opt/bodytext
RUN useradd --system --uid 999 --no-create-home --shell /usr/sbin/nologin bodytext
ENV PATH=/opt/bodytext/bin:$PATH \
    OPENBLAS_NUM_THREADS=1 \
    PYTHONUNBUFFERED=1
USER 999
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/health', timeout=4)"]
ENTRYPOINT ["bodytext", "serve", "--host", "0.0.0.0"]
CMD ["--name", "localhost"]
