/** Further nodes of the demonstration, each with a data folder of its own, on the ports that follow. */
import { join } from 'node:path';
import { type App, buildApp, listen } from '../../app.ts';
import type { Config } from '../../config.ts';
import type { World } from '../../open-context.ts';
import { loadMasterKey } from '../../platform/secrets/master-key.ts';

export interface MoreNodes {
  ports: readonly number[];
  close(): Promise<void>;
}

const MORE = 2;

/** @param port of the first node, which has made the tables and the master key */
export async function startMoreNodes(config: Config, port: number, world: World): Promise<MoreNodes> {
  const masterKey = loadMasterKey(config).toString('base64');
  const ports = Array.from({ length: MORE }, (_, nth) => port + 1 + nth);
  const apps = await Promise.all(
    ports.map(async (own): Promise<App> => {
      const dataDir = join(config.dataDir, `node-${own}`);
      const app = await buildApp({ ...config, port: own, dataDir, masterKey }, world);
      await listen(app);
      return app;
    }),
  );
  return {
    ports,
    async close() {
      await Promise.all(apps.map((app) => app.close()));
    },
  };
}
