import type { Visitor } from '../../apps/server/src/testing/visitor.ts';
import {
  newProductFolder,
  type ProductFolder,
  setUpProduct,
  startProduct,
} from '../../tests/faults/product.ts';
import { COUNTED_MODEL, type Target } from './target.ts';

const servedModels = ['bench-*', COUNTED_MODEL];

export interface SwitchyardTarget extends Target {
  folder: ProductFolder;
  root: Visitor;
}

/**
 * The product as it is delivered, set up through its management API: everything is on.
 * @param folder for its data; new
 */
export async function startSwitchyard(upstreamPort: number, folder: string): Promise<SwitchyardTarget> {
  const productFolder = newProductFolder(folder);
  const product = await startProduct(productFolder);
  const { key, root } = await setUpProduct(
    product,
    productFolder,
    `http://127.0.0.1:${upstreamPort}`,
    servedModels,
  );
  return {
    name: 'Switchyard',
    port: product.port,
    pid: product.process.pid ?? 0,
    headers: { authorization: `Bearer ${key}` },
    folder: productFolder,
    root,
    stop: () => product.stop('SIGTERM'),
  };
}
