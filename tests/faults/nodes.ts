/** Several nodes of the real product on one PostgreSQL database, behind a load balancer. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type Database, openDatabase } from '../../apps/server/src/db/open-database.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../../apps/server/src/testing/database-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import {
  createProductFolder,
  type ProductFolder,
  type ProductProcess,
  type ProductSetUp,
  setUpProduct,
  startProduct,
} from './start-product.ts';

const DRAIN_SECONDS = 10;

export interface Nodes {
  balancer: Balancer;
  /** Visitor that is signed in as root on every node. */
  root: ProductFolder['root'];
  /** Data folders, one for each node. */
  products: ProductProcess[];
  /** Ends a node and waits until its process has exited. */
  stop(nth: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(nth: number): Promise<void>;
  close(): Promise<void>;
}

export async function startNodes(
  folder: string,
  variables: Readonly<Record<string, string>>,
  count = 3,
): Promise<Nodes> {
  const { root } = createProductFolder(folder);
  const folders = Array.from({ length: count }, (_, nth) => ({ dataDir: join(folder, `node-${nth}`), root }));
  const common = { MASTER_KEY: randomBytes(32).toString('base64'), ...variables };
  const products: ProductProcess[] = [];
  const startNth = async (nth: number): Promise<ProductProcess> => {
    const own = folders[nth];
    if (own === undefined) throw new Error(`There is no node ${nth}`);
    mkdirSync(own.dataDir, { recursive: true });
    return startProduct(own, { drainSeconds: DRAIN_SECONDS, variables: common });
  };
  // The first node creates the tables and the root account.
  products.push(await startNth(0));
  products.push(...(await Promise.all(folders.slice(1).map((_, nth) => startNth(nth + 1)))));
  const balancer = await startBalancer(products.map(({ url }) => url));
  return {
    balancer,
    root,
    products,
    async stop(nth, signal) {
      // A draining node stays reachable until `/readyz` fails.
      if (signal === 'SIGKILL') balancer.nodes[nth] = undefined;
      await products[nth]?.stop(signal);
      balancer.nodes[nth] = undefined;
    },
    async start(nth) {
      const product = await startNth(nth);
      products[nth] = product;
      balancer.nodes[nth] = product.url;
    },
    async close() {
      for (const { process } of products) process.kill('SIGKILL');
      await Promise.all(products.map(({ exit }) => exit));
      await balancer.close();
    },
  };
}

/** Waits until each node relays a call with the key, and therefore has read the changes of the others. */
export async function waitUntilAllRelay(products: readonly ProductProcess[], key: string): Promise<void> {
  const relay = async ({ url }: ProductProcess): Promise<number> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tokens-1', messages: [{ role: 'user', content: 'two words' }] }),
    });
    await response.text();
    return response.status;
  };
  for (const product of products)
    await vi.waitUntil(async () => (await relay(product)) === 200, { timeout: 60_000, interval: 20 });
}

export interface NodesScene extends ProductSetUp {
  postgres: PostgresServer;
  upstream: ScriptedUpstream;
  /** Folder of the nodes' data folders, `node-0` and so on. */
  folder: string;
  nodes: Nodes;
  db: Database;
  close(): Promise<void>;
}

/** Starts prepared nodes with their own PostgreSQL; undefined if it is not installed on this machine. */
export async function startNodesScene(
  variables: Readonly<Record<string, string>> = {},
  count = 3,
): Promise<NodesScene | undefined> {
  const postgres = await startPostgres();
  if (postgres === undefined) return undefined;
  const databaseUrl = await createDatabase(postgres, 'nodes');
  const upstream = await startScriptedUpstream();
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-nodes-'));
  const nodes = await startNodes(folder, { DATABASE_URL: databaseUrl, ...variables }, count);
  const [first] = nodes.products;
  if (first === undefined) throw new Error('There are no nodes');
  const site = await setUpProduct(first, nodes, upstream.url, ['tokens-*', 'status-*']);
  const db = await openDatabase(databaseUrl);
  await waitUntilAllRelay(nodes.products, site.key);
  return {
    ...site,
    postgres,
    upstream,
    folder,
    nodes,
    db,
    async close() {
      await nodes.close();
      await db.close();
      await upstream.close();
      await postgres.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
