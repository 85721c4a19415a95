# The release workflow gives both by digest (scripts/pin-images.mjs), after it has looked that Node is patched.
ARG BUILD_IMAGE=node:24-trixie-slim
ARG RUNTIME_IMAGE=gcr.io/distroless/nodejs24-debian13:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
RUN npm run build && npm run --silent sbom > sbom.cdx.json && npm prune --omit=dev --ignore-scripts \
  && find dist -mindepth 1 -maxdepth 1 ! -name main.js ! -name bundle ! -name ui -exec rm -r {} +

# The demo tools of docker-compose.yml; not part of the service's image.
FROM ${BUILD_IMAGE} AS tool-server
ENV HOST=0.0.0.0 PORT=9000
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY examples/tool-server ./examples/tool-server
USER node
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s \
  CMD ["node", "-e", "require('node:net').connect(process.env.PORT).on('connect',()=>process.exit(0)).on('error',()=>process.exit(1))"]
ENTRYPOINT ["node", "examples/tool-server/server.mjs"]

# No shell, no package manager, user 65532; nothing is written below /.
FROM ${RUNTIME_IMAGE}
# Others reach this address: the service does not start on it without API_KEYS, KEYS_FILE or ALLOW_ANONYMOUS=true.
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# What is in here, for scanners, and the licences of it.
COPY --from=build /app/sbom.cdx.json ./
COPY LICENSE THIRD-PARTY-NOTICES ./
COPY examples/catalog ./examples/catalog
COPY schemas ./schemas
COPY openapi.yaml ./
USER 65532:65532
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=2s --start-period=5s \
  CMD ["/nodejs/bin/node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Exec form: signals reach the process, and SIGTERM ends it with 0.
ENTRYPOINT ["/nodejs/bin/node", "dist/main.js"]
