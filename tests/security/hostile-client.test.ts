/** What a client with a valid key may send: it gets an answer, and the gateway lives on. */
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

test('field names that no header can hold are named in one that can', async () => {
  const response = await scene.chat('claude', withFields(['line\nbreak: 1', 'snow☃man']));
  expect(response.status).toBe(200);
  expect(response.headers.get('x-switchyard-dropped')).toBe('line?break:?1, snow?man');
});

test('thousands of unknown fields fill neither header nor record', async () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `field${index}`);
  const response = await scene.chat('claude', withFields(names));
  expect(response.status).toBe(200);
  await scene.settled();
  const record = (await scene.records()).at(-1);
  expect(record?.detail.length).toBeLessThan(5_000);
});

test('an object with a million fields is refused, wherever it stands', async () => {
  const wide = withFields(Array.from({ length: 1_000_000 }, (_, index) => `f${index}`));
  expect((await scene.chat('claude', { metadata: wide })).status).toBe(400);
});

test('a model named like a property of every object is a model like any other', async () => {
  const response = await scene.chat('constructor');
  expect(response.status).toBe(200);
});

test('a model’s name that cannot be decoded is a model that does not exist', async () => {
  const headers = { authorization: `Bearer ${scene.key}` };
  const response = await fetch(`${scene.url}/v1/models/%zz`, { headers });
  expect(response.status).toBe(404);
});
