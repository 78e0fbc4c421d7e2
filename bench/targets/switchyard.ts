import type { Visitor } from '../../apps/server/src/testing/visitor.ts';
import { profile } from '../../packages/contract/src/accounts/profile.ts';
import { RATE_OF_USD_PER_MILLION } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices, savePrice } from '../../packages/contract/src/catalog/prices.ts';
import { channels, createChannel } from '../../packages/contract/src/channels/channels.ts';
import {
  createProductFolder,
  type ProductFolder,
  setUpProduct,
  startProduct,
} from '../../tests/faults/start-product.ts';
import { type ChatDialect, COUNTED_MODEL, chatDialects, type Target } from './target-and-requests.ts';

const servedModels = ['bench-*', COUNTED_MODEL];

const rates = { input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION };

/** Channel types in the public API, each for one dialect. */
const dialectChannels: Readonly<Record<ChatDialect, { type: number; api?: string }>> = {
  'openai-chat': { type: 1, api: 'chat' },
  'openai-responses': { type: 1, api: 'responses' },
  'anthropic-messages': { type: 14 },
  gemini: { type: 25 },
};

export interface SwitchyardTarget extends Target {
  folder: ProductFolder;
  root: Visitor;
}

/**
 * The product as it is delivered, with all features, set up through its management API.
 * @param folder new folder for its data
 */
export async function startSwitchyard(
  upstreamPort: number,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<SwitchyardTarget> {
  const productFolder = createProductFolder(folder);
  const product = await startProduct(productFolder, { variables });
  process.on('exit', () => product.process.kill('SIGKILL'));
  const upstreamUrl = `http://127.0.0.1:${upstreamPort}`;
  const { key, root } = await setUpProduct(product, productFolder, upstreamUrl, servedModels);
  for (const dialect of chatDialects) await addChannel(root, dialect, upstreamUrl);
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

/** Channel that translates all other dialects. */
async function addChannel(root: Visitor, dialect: ChatDialect, upstreamUrl: string): Promise<void> {
  const models = [`${dialect}--*`];
  const { group } = await root.api(profile).get();
  const { type, api } = dialectChannels[dialect];
  const options = api === undefined ? {} : { options: { api } };
  await root.api(prices).create({ body: savePrice.parse({ model: models[0], rates }) });
  await root
    .api(channels)
    .create({
      body: createChannel.parse({
        name: dialect,
        type,
        base_url: upstreamUrl,
        key: 'upstream-key',
        models,
        group: [group],
        ...options,
      }),
    });
}
