# authcli in a container: docker build --tag authcli . && docker run --rm authcli demo
FROM node:22-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
RUN npm run build

FROM node:22-slim
# Everything that runs is in the bundle: no node_modules here.
COPY package.json LICENSE /opt/authcli/
COPY bin /opt/authcli/bin
COPY --from=build /src/THIRD_PARTY_NOTICES /opt/authcli/
COPY --from=build /src/dist /opt/authcli/dist
RUN ln -s /opt/authcli/bin/authcli.js /usr/local/bin/authcli
# Any user may run it (docker run --user): what it keeps goes where everyone may write.
ENV NODE_ENV=production AUTHCLI_CONFIG=/tmp/authcli/config.json
USER node
WORKDIR /work
ENTRYPOINT ["authcli"]
CMD ["--help"]
