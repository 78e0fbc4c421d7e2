/** Repeated anonymous requests to one route don't slow the calls of paying users. */
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { models as catalog } from '@switchyard/contract/catalog/models';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOON, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { reportMeasurement } from '../tier.ts';
import { listAnonymousPaths } from './anonymous-paths.ts';

const CONNECTIONS = 40;
const CALLS = 11;
/** The best of several passes counts, because a busy machine slows single passes and a costly route all of them. */
const TRIES = 4;
const SLOWER_MAX_MS = 50;
/** Control: the cheapest route, which shows what the machine itself takes for as many responses. */
const CONTROL = '/healthz';
/** Number of models with their own names, besides a wildcard. The lists of models grow with it. */
const MODELS = 1_000;

let scene: RelayScene;
beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
  await scene.newChannel({});
  // Names of priced models, because a price and metadata are the larger part of a model's entry.
  const priced = (await scene.anonymous.api(prices).all()).map(({ model }) => model);
  const models = priced.filter((model) => !model.includes('*')).slice(0, MODELS);
  expect(models).toHaveLength(MODELS);
  await scene.newChannel({ name: 'named models', models });
  const available = await scene.anonymous.api(catalog).available();
  expect(Object.keys(available)).toHaveLength(MODELS);
  scene.key = await scene.newKey({ unlimited_quota: true });
});
afterAll(() => scene.close());

/** @returns the median time of a paying call beside the load generator, in milliseconds */
async function timeBeside(path: string): Promise<number> {
  // Resets the limits of the address, so that the route itself is measured and not its refusals.
  scene.clock.advance(61);
  const load = new Worker(new URL('load-worker.ts', import.meta.url), {
    workerData: { url: scene.url + path, connections: CONNECTIONS },
  });
  try {
    await once(load, 'message');
    const times: number[] = [];
    for (let call = 0; call < CALLS; call += 1) {
      const startedAt = performance.now();
      const response = await scene.chat('scripted');
      await response.text();
      expect(response.status).toBe(200);
      times.push(performance.now() - startedAt);
    }
    return times.toSorted((one, other) => one - other)[Math.floor(CALLS / 2)] ?? Number.POSITIVE_INFINITY;
  } finally {
    await load.terminate();
  }
}

/** @returns the additional time of a paying call compared with the control, in milliseconds */
async function slowerBeside(path: string, controlMs: number): Promise<number> {
  let least = (await timeBeside(path)) - controlMs;
  for (let tried = 1; tried < TRIES && least > SLOWER_MAX_MS; tried += 1)
    least = Math.min(least, (await timeBeside(path)) - (await timeBeside(CONTROL)));
  return least;
}

test('40 anonymous connections to a route slow a paying call by at most 50 ms', async () => {
  const paths = listAnonymousPaths(scene.app.entryPoints.routes);
  expect(paths.length).toBeGreaterThan(15);
  const controlMs = await timeBeside(CONTROL);
  const slower: (readonly [path: string, ms: number])[] = [];
  for (const path of paths) slower.push([path, await slowerBeside(path, controlMs)]);
  const [worst] = slower.toSorted(([, one], [, other]) => other - one);
  reportMeasurement('P37', `${paths.length} routes: at most ${worst?.[1].toFixed(0)} ms slower (${worst?.[0]})`);
  expect(slower.filter(([, ms]) => ms > SLOWER_MAX_MS)).toEqual([]);
});
