/** Several nodes of the real product on one PostgreSQL database, behind a balancer. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Balancer, startBalancer } from './balancer.ts';
import { newProductFolder, type Product, type ProductFolder, startProduct } from './product.ts';

export interface Nodes {
  balancer: Balancer;
  /** All let the same one in. */
  root: ProductFolder['root'];
  /** Each with a data folder of its own. */
  products: Product[];
  /** Ends one and waits until it is gone. */
  stop(nth: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  start(nth: number): Promise<void>;
  close(): Promise<void>;
}

export async function startNodes(
  folder: string,
  variables: Readonly<Record<string, string>>,
  { count = 3, drainSeconds = 10 } = {},
): Promise<Nodes> {
  const { root } = newProductFolder(folder);
  const folders = Array.from({ length: count }, (_, nth) => ({ dataDir: join(folder, `node-${nth}`), root }));
  const common = { MASTER_KEY: randomBytes(32).toString('base64'), ...variables };
  const products: Product[] = [];
  const startNth = async (nth: number): Promise<Product> => {
    const own = folders[nth];
    if (own === undefined) throw new Error(`There is no node ${nth}`);
    mkdirSync(own.dataDir, { recursive: true });
    return startProduct(own, { drainSeconds, variables: common });
  };
  // The first one makes the tables and the root account.
  for (let nth = 0; nth < count; nth += 1) products.push(await startNth(nth));
  const balancer = await startBalancer(products.map(({ url }) => url));
  return {
    balancer,
    root,
    products,
    async stop(nth, signal) {
      // Who drains is still reached, until it says so.
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
