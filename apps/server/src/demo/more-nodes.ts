/** Further nodes of the demonstration, each a process with a data folder of its own, on the ports that follow. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { loadMasterKey } from '../platform/master-key.ts';

export interface MoreNodes {
  ports: readonly number[];
  /** Waits until they are gone. */
  close(): Promise<void>;
}

const MORE = 2;
const MAIN = join(import.meta.dirname, '../main.ts');

/** @param port of the first node, which has made tables and the master key */
export function startMoreNodes(config: Config, port: number): MoreNodes {
  const masterKey = loadMasterKey(config).toString('base64');
  const ports = Array.from({ length: MORE }, (_, nth) => port + 1 + nth);
  const nodes = ports.map((own) =>
    spawn(process.execPath, [...process.execArgv, MAIN], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PORT: String(own),
        HOST: config.host,
        DATABASE_URL: config.databaseUrl,
        REDIS_URL: config.redisUrl,
        DATA_DIR: join(config.dataDir, `node-${own}`),
        MASTER_KEY: masterKey,
        OUTBOUND_ALLOW: config.outboundAllow.join(','),
        LOG_LEVEL: config.logLevel,
      },
    }),
  );
  return {
    ports,
    async close() {
      await Promise.all(
        nodes.map(async (node) => {
          if (node.exitCode !== null) return;
          const ended = once(node, 'exit');
          node.kill('SIGTERM');
          await ended;
        }),
      );
    },
  };
}
