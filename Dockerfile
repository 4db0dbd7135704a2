# authcli in a container: docker build --tag authcli . && docker run --rm authcli demo
# The digest is that of the image for all platforms; `docker buildx imagetools inspect node:22-bookworm-slim` prints the newest.
FROM node:22-bookworm-slim@sha256:c3de60bf2f9dd0ac6370e6117950ff62d6e339527e7472301c9c78a017978392 AS base

FROM base AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM base
# Everything that runs is in the bundle: no node_modules here.
COPY package.json LICENSE /opt/authcli/
COPY bin /opt/authcli/bin
# `authcli mcp` serves these to agents.
COPY schemas /opt/authcli/schemas
COPY docs /opt/authcli/docs
COPY --from=build /src/THIRD_PARTY_NOTICES /opt/authcli/
COPY --from=build /src/dist /opt/authcli/dist
RUN ln -s /opt/authcli/bin/authcli.js /usr/local/bin/authcli
# Any user may run it (docker run --user): what it keeps goes where everyone may write.
ENV NODE_ENV=production AUTHCLI_CONFIG=/tmp/authcli/config.json
USER node
WORKDIR /work
ENTRYPOINT ["authcli"]
CMD ["--help"]
