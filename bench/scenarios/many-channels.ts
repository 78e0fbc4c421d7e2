/** A gateway with thousands of channels: its screen, a change of one of them, and its start. */
import { join } from 'node:path';
import { createVisitor, signIn } from '../../apps/server/src/testing/visitor.ts';
import { channelEdits } from '../../packages/contract/src/channels/bulk-edits-and-import.ts';
import { channels } from '../../packages/contract/src/channels/channels.ts';
import type { RouteInput } from '../../packages/contract/src/route.ts';
import { createProductFolder, startProduct } from '../../tests/faults/start-product.ts';
import type { Row } from '../report.ts';
import { quantile } from '../statistics.ts';

const BATCHES = 20;
const CHANNELS = 5_000;
const MODELS = 50;
const ROUNDS = 12;
const OPENAI = 1;

export async function measureManyChannels(folder: string): Promise<Row[]> {
  const productFolder = createProductFolder(join(folder, 'many-channels'));
  const emptyMs = await startAndStop(productFolder);
  const product = await startProduct(productFolder);
  const { username, password } = productFolder.root;
  const caller = createVisitor(product.url, await signIn(product.url, username, password));
  const [api, edits] = [caller.api(channels), caller.api(channelEdits)];
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const key = Array.from({ length: CHANNELS / BATCHES }, (_, at) => `sk-${batch}-${at}`).join('\n');
    const models = Array.from({ length: MODELS }, (_, at) => `model-${(batch * 17 + at) % 400}`);
    await api.create({
      body: { name: `batch-${batch}`, type: OPENAI, models, key, tag: `tag-${batch}`, priority: batch },
    });
  }

  const slowest = { p95: 0, filter: '' };
  for (const [name, filter] of filters) {
    const p95 = await p95Of(async () => {
      await Promise.all([api.list({ query: { size: 50, ...filter } }), edits.tags()]);
    });
    console.log(`  ${name}: p95 ${p95.toFixed(0)} ms`);
    if (p95 > slowest.p95) Object.assign(slowest, { p95, filter: name });
  }
  const { data } = await api.list({ query: { size: 1 } });
  const [one] = data;
  if (one === undefined) throw new Error('The list is empty');
  let priority = 0;
  const change = await p95Of(async () => {
    priority += 1;
    await api.update({ body: { id: one.id, priority } });
  });
  await product.stop('SIGTERM');
  const fullMs = await startAndStop(productFolder);
  return [
    {
      what: 'channels screen, 5,000 channels with 50 models each',
      wanted: 'p95 ≤ 150 ms for any filter',
      measured: `slowest p95 ${slowest.p95.toFixed(0)} ms (${slowest.filter}), first page and tags together`,
      verdict: slowest.p95 <= 150 ? 'met' : 'missed',
    },
    {
      what: 'a change of one of 5,000 channels, until requests see it',
      wanted: 'p95 ≤ 150 ms',
      measured: `p95 ${change.toFixed(0)} ms`,
      verdict: change <= 150 ? 'met' : 'missed',
    },
    {
      what: 'start with 5,000 channels against one without',
      wanted: '≤ 2 ×',
      measured: `${(fullMs / emptyMs).toFixed(2)} × (${fullMs.toFixed(0)} ms against ${emptyMs.toFixed(0)})`,
      verdict: fullMs <= 2 * emptyMs ? 'met' : 'missed',
    },
  ];
}

type Filter = Partial<RouteInput<(typeof channels)['list']>['query']>;

const filters: [string, Filter][] = [
  ['no filter', {}],
  ['by priority', { order: '-priority' }],
  ['last page', { page: 100 }],
  ['keyword', { keyword: 'model-39' }],
  ['keyword that nothing has', { keyword: 'nothing' }],
  ['model', { models: 'model-7' }],
  ['group', { group: 'default' }],
  ['tag', { tag: 'tag-7' }],
];

async function startAndStop(folder: Parameters<typeof startProduct>[0]): Promise<number> {
  const begun = performance.now();
  const product = await startProduct(folder);
  const ms = performance.now() - begun;
  await product.stop('SIGTERM');
  return ms;
}

async function p95Of(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  return quantile(times, 0.95);
}
