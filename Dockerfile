# The gateway with its console. Build: docker build -t switchyard .
# Runs without root on a read-only root file system, and writes only to /data.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run package
# Run-time dependencies at the versions of the lock file. The image provides Node.
WORKDIR /build/dist/package
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim
LABEL org.opencontainers.image.title="Switchyard" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data \
    MALLOC_MMAP_THRESHOLD_=131072
COPY --from=build /build/dist/package /app
RUN ln -s /app/apps/server/switchyard.js /usr/local/bin/switchyard \
 && chmod 0755 /app/apps/server/switchyard.js \
 && install -d -o 10001 -g 10001 -m 0700 /data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`, { signal: AbortSignal.timeout(4000) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "/app/apps/server/src/main.js"]
