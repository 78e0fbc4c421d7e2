/** Hostile requests with a valid key get a response, and the gateway survives. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANTHROPIC, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({ models: ['scripted*', 'constr*'] });
  await scene.newChannel({ type: ANTHROPIC, models: ['claude*'] });
});
afterAll(() => scene.close());

const withFields = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));

test('field names that no header can hold are reported in an encoded form', async () => {
  const response = await scene.chat('claude', withFields(['line\nbreak: 1', 'snow☃man']));
  expect(response.status).toBe(200);
  expect(response.headers.get('x-switchyard-dropped')).toBe('line?break:?1, snow?man');
});

test('thousands of unknown fields fill neither header nor record', async () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `field${index}`);
  const response = await scene.chat('claude', withFields(names));
  expect(response.status).toBe(200);
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  expect(record?.detail.length).toBeLessThan(5_000);
});

test('an object with a million fields is refused at any depth', async () => {
  const wide = withFields(Array.from({ length: 1_000_000 }, (_, index) => `f${index}`));
  expect((await scene.chat('claude', { metadata: wide })).status).toBe(400);
});

test('a model named like a property of every object is treated like other models', async () => {
  const response = await scene.chat('constructor');
  expect(response.status).toBe(200);
});

test('a model’s name that cannot be decoded is an unknown model', async () => {
  const headers = { authorization: `Bearer ${scene.key}` };
  const response = await fetch(`${scene.url}/v1/models/%zz`, { headers });
  expect(response.status).toBe(404);
});

test('a body with only empty objects is refused before it fills the memory', async () => {
  const body = `{"model":"scripted","messages":[${'{},'.repeat(5_000_000)}{}]}`;
  const before = process.memoryUsage().heapUsed;
  const response = await fetch(`${scene.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('objects and lists');
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200_000_000);
});

test('a service that costs more than the price is not passed on, and the record says so', async () => {
  const response = await scene.chat('scripted', { service_tier: 'priority' });
  expect(response.headers.get('x-switchyard-dropped')).toBe('service_tier');
  expect(JSON.parse(scene.upstream.requests.at(-1)?.body ?? '')).not.toHaveProperty('service_tier');
  await response.text();
  await scene.waitUntilSettled();
  expect((await scene.records()).at(-1)?.detail).toContain('"dropped":["service_tier"]');
});
