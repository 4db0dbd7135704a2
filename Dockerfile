# authcli in a container: docker build --tag authcli . && docker run --rm authcli demo
# The digest is that of the image for all platforms; `docker buildx imagetools inspect node:22-bookworm-slim` prints the newest.
FROM node:22-bookworm-slim@sha256:c3de60bf2f9dd0ac6370e6117950ff62d6e339527e7472301c9c78a017978392 AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY LICENSE tsconfig.json tsconfig.build.json ./
COPY bin ./bin
COPY ci/image-root.sh ./ci/
COPY docs ./docs
COPY schemas ./schemas
COPY scripts ./scripts
COPY src ./src
RUN npm run release -- "linux-$(node -p process.arch)"
RUN bash ci/image-root.sh release/authcli-*.tar.gz /image

# The executable and the libraries that it loads: no shell, no Node, no package manager.
FROM scratch
COPY --from=build /image/ /
# Any user may run it (docker run --user): what it keeps goes where everyone may write. Compiled code would go with the container.
ENV PATH=/usr/local/bin AUTHCLI_CONFIG=/tmp/authcli/config.json NODE_DISABLE_COMPILE_CACHE=1
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["authcli"]
CMD ["--help"]
