import { join } from 'node:path';
import {
  newProductFolder,
  type ProductFolder,
  setUpProduct,
  startProduct,
} from '../../tests/faults/product.ts';
import type { Target } from './target.ts';

export interface SwitchyardTarget extends Target {
  folder: ProductFolder;
}

/** The product as it is delivered, set up through its management API: everything is on. */
export async function startSwitchyard(upstreamPort: number, folder: string): Promise<SwitchyardTarget> {
  const productFolder = newProductFolder(join(folder, 'data'));
  const product = await startProduct(productFolder);
  const { key } = await setUpProduct(product, productFolder, `http://127.0.0.1:${upstreamPort}`, ['bench-*']);
  return {
    name: 'Switchyard',
    port: product.port,
    pid: product.process.pid ?? 0,
    headers: { authorization: `Bearer ${key}` },
    folder: productFolder,
    stop: () => product.stop('SIGTERM'),
  };
}
