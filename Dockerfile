# Builds Homeport from this checkout, for linux/amd64 and linux/arm64. docs/deployment.md describes how to run the image.
#
#   docker build -t homeport .
#   docker buildx build --platform linux/amd64,linux/arm64 -t registry.example.org/homeport --push .
#
# PostgreSQL's binaries need glibc, so an Alpine image does not work. NODE_IMAGE names a mirror of the base image, and
# NPM_CONFIG_REGISTRY one of the npm registry.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim

# The bundle contains only JavaScript: it is built once, on the platform of the build machine.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /src
COPY package.json package-lock.json ./
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

# The dependencies contain binaries of the target platform. Their scripts run, because one of them creates the symbolic links of
# PostgreSQL's libraries; the server would otherwise create them in the data directory.
FROM ${NODE_IMAGE} AS dependencies
ARG NPM_CONFIG_REGISTRY
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json console/
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -r console

FROM ${NODE_IMAGE}
# initdb needs a name for its user. The number lets Kubernetes check that the user is not root.
RUN groupadd --system --gid 10001 homeport \
  && useradd --system --uid 10001 --gid homeport --home-dir /var/lib/homeport --shell /usr/sbin/nologin homeport \
  && install --directory --owner=homeport --group=homeport --mode=0700 /var/lib/homeport /var/lib/homeport/exports \
  && ln -s /app/bin/homeport.mjs /usr/local/bin/homeport
WORKDIR /app
COPY package.json README.md LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /src/dist dist
COPY bin bin

# The restart policy of the container restarts a server that has crashed.
ENV NODE_ENV=production HOMEPORT_DATA=/var/lib/homeport HOMEPORT_SUPERVISE=off
USER 10001:10001
WORKDIR /var/lib/homeport
# All data is here: mount a volume. There is no VOLUME, because Railway refuses Dockerfiles with one.
EXPOSE 3000
# Reads the port and the protocol of the server from the data directory.
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 CMD ["homeport", "health"]
# SIGTERM reaches Homeport itself, which finishes open requests and stops PostgreSQL. Allow 60 seconds before SIGKILL.
STOPSIGNAL SIGTERM
ENTRYPOINT ["homeport"]
CMD ["start"]
