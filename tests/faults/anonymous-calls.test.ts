/** Somebody without a session who asks for one route again and again doesn't slow the calls of those who pay. */
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
/** A busy machine is slow once; a route that costs too much is slow each time. */
const TRIES = 4;
const SLOWER_MAX_MS = 50;
/** The cheapest route that there is: what the machine itself takes for so many answers. */
const CONTROL = '/healthz';
/** Number of models with a name of their own, besides a wildcard. Lists of models grow with it. */
const MODELS = 1_000;

let scene: RelayScene;
beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
  await scene.newChannel({});
  // The names of priced models, because a price and the facts are the larger part of a model's entry.
  const priced = (await scene.anonymous.api(prices).all()).map(({ model }) => model);
  const models = priced.filter((model) => !model.includes('*')).slice(0, MODELS);
  expect(models).toHaveLength(MODELS);
  await scene.newChannel({ name: 'named models', models });
  const available = await scene.anonymous.api(catalog).available();
  expect(Object.keys(available)).toHaveLength(MODELS);
  scene.key = await scene.newKey({ unlimited_quota: true });
});
afterAll(() => scene.close());

/** @returns the median time of a paying call beside the hammer, in milliseconds */
async function timeBeside(path: string): Promise<number> {
  // The limits of the address are as new, so that the route itself is measured and not its refusals.
  scene.clock.advance(61);
  const hammer = new Worker(new URL('hammer.ts', import.meta.url), {
    workerData: { url: scene.url + path, connections: CONNECTIONS },
  });
  try {
    await once(hammer, 'message');
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
    await hammer.terminate();
  }
}

/** @returns how much slower a paying call is than beside the control, in milliseconds */
async function slowerBeside(path: string, controlMs: number): Promise<number> {
  let least = (await timeBeside(path)) - controlMs;
  for (let tried = 1; tried < TRIES && least > SLOWER_MAX_MS; tried += 1)
    least = Math.min(least, (await timeBeside(path)) - (await timeBeside(CONTROL)));
  return least;
}

test('40 connections that ask for a route without a session slow a paying call by at most 50 ms', async () => {
  const paths = listAnonymousPaths(scene.app.entryPoints.routes);
  expect(paths.length).toBeGreaterThan(15);
  const controlMs = await timeBeside(CONTROL);
  const slower: (readonly [path: string, ms: number])[] = [];
  for (const path of paths) slower.push([path, await slowerBeside(path, controlMs)]);
  const [worst] = slower.toSorted(([, one], [, other]) => other - one);
  reportMeasurement('P37', `${paths.length} routes: at most ${worst?.[1].toFixed(0)} ms slower (${worst?.[0]})`);
  expect(slower.filter(([, ms]) => ms > SLOWER_MAX_MS)).toEqual([]);
});
