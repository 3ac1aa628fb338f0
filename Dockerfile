# The command line and the explorer, with compiled kernels, for a user without rights.
#
#   docker build --tag r5 .
#   docker run --rm --volume "$PWD:/work" --user "$(id -u)" r5 train kinship --out model
#   docker run --rm --publish 8441:8441 --volume "$PWD/model:/model:ro" --env R5_TOKEN r5 serve /model --host 0.0.0.0 --allow-remote
FROM python:3.11-slim AS build
# Kernels for every processor of this architecture; without it, another processor would compile its own.
ENV NUMBA_CPU_NAME=generic
COPY . /source
RUN sh /source/docker/install.sh /opt/r5 '/source[serve]' /source/constraints.txt

FROM python:3.11-slim
ENV NUMBA_CPU_NAME=generic \
    PATH=/opt/r5/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
COPY --from=build /opt/r5 /opt/r5
RUN useradd --create-home --uid 10001 r5 && mkdir /work && chown r5 /work
USER r5
WORKDIR /work
EXPOSE 8441
# For `r5 serve` at its default port; run other long commands with --no-healthcheck.
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8441/health')"]
ENTRYPOINT ["r5"]
CMD ["--help"]
