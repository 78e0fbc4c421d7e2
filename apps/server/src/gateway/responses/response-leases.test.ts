/** Responses in the background on two nodes of one database. */
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ANTHROPIC } from '../../testing/relay-scene.ts';
import { type Nodes, startNodes } from '../../testing/start-nodes.ts';
import { failInterrupted } from './response-leases.ts';

const VERY_SLOW = 'scripted+slow-first-byte-20000';

let nodes: Nodes | undefined;
let one: OpenAI;
let other: OpenAI;

beforeAll(async () => {
  nodes = await startNodes();
  if (nodes === undefined) return;
  const { first, second } = nodes;
  await first.newChannel({ type: ANTHROPIC });
  [one, other] = [first.url, second.url].map(
    (url) => new OpenAI({ apiKey: first.key, baseURL: `${url}/v1`, maxRetries: 0 }),
  ) as [OpenAI, OpenAI];
});
beforeEach((context) => {
  if (nodes === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(() => nodes?.close());

const until = (id: string, status: string, timeout = 10_000) =>
  vi.waitFor(async () => expect((await other.responses.retrieve(id)).status).toBe(status), timeout);

test('another node shows a response that a node generates, and can cancel it', async () => {
  const body = { input: 'My name is Ada.', background: true } as const;
  const created = await one.responses.create({ ...body, model: 'scripted' });
  await until(created.id, 'completed');
  const slow = await one.responses.create({ ...body, model: VERY_SLOW });
  const cancelled = await other.responses.cancel(slow.id);
  expect(cancelled.status).toBe('cancelled');
});

test('a starting node does not touch the responses of another one', async () => {
  const mayEnd = Promise.withResolvers<void>();
  nodes?.first.upstream.setScript(() => ({ endGate: mayEnd.promise }));
  const created = await one.responses.create({ input: 'Hello', background: true, model: 'scripted' });
  const third = await nodes?.start();
  await third?.close();
  mayEnd.resolve();
  nodes?.first.upstream.setScript(undefined);
  await until(created.id, 'completed');
});

test('a node ends the unfinished responses of a dead one, and no others', async (context) => {
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const { first, second } = nodes;
  const sweep = () => failInterrupted(second.ctx, () => [{ kind: 'text', text: '' }]);
  const created = await one.responses.create({ input: 'Hello', background: true, model: VERY_SLOW });
  await sweep();
  expect((await other.responses.retrieve(created.id)).status).toMatch(/queued|in_progress/);
  // As after a node of which nothing was heard.
  await first.ctx.db.writer
    .updateTable('lease')
    .set({ held_until: 0 })
    .where('name', '=', `making:${created.id}`)
    .execute();
  await sweep();
  expect(await other.responses.retrieve(created.id)).toMatchObject({
    status: 'failed',
    error: { code: 'server_error' },
  });
  await first.waitUntilSettled();
  expect(await one.responses.retrieve(created.id)).toMatchObject({ status: 'failed' });
});
