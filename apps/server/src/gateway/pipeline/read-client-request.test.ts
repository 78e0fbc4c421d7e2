import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { systemTimers } from '../../platform/clock.ts';
import { noReader } from '../limits/concurrency-limiter.ts';
import { createMemoryBudget } from '../limits/memory-budget.ts';
import { createPacedExecutor, type PacedExecutor } from '../limits/paced-executor.ts';
import { readClientRequest } from './read-client-request.ts';

/** Returns the bytes that a request with the body holds while it runs, and before it is read in its turn. */
async function measureHeldBytes(body: string): Promise<{ held: number; before: number | undefined }> {
  const server = createServer();
  const port = await listen(server);
  onTestFinished(() => void server.close());
  const received = once(server, 'request');
  const headers = { 'content-type': 'application/json' };
  const leaving = new AbortController();
  void fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body, signal: leaving.signal }).catch(() => {});
  const [message] = (await received) as [IncomingMessage];
  const budget = createMemoryBudget(1_000_000_000);
  const slot = { ...budget.open(1), release: () => noReader.waitUntilSent() };
  let before: number | undefined;
  const executor = createPacedExecutor(systemTimers);
  const run: PacedExecutor['run'] = (userId, work) => {
    before = budget.usedBytes;
    return executor.run(userId, work);
  };
  const parts = { pacedExecutor: { ...executor, run }, bodyMaxBytes: 100_000_000 };
  const route = { operation: 'chat', format: 'openai-chat' } as const;
  await readClientRequest(parts, { message, route }, slot, 1);
  leaving.abort();
  return { held: budget.usedBytes, before };
}

const chat = (content: unknown): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], metadata: { content } });

test('counts the parsed form of a body with many values', async () => {
  const many = chat(Array.from({ length: 500_000 }, () => 'a'));
  const { held, before } = await measureHeldBytes(many);
  expect(held).toBeGreaterThan(many.length + 500_000 * 30);
  // Its values are counted when it is read, which is paced.
  expect(before).toBeLessThan(many.length + 10_000);
});

test('counts only the bytes of a long text', async () => {
  const long = chat('a'.repeat(1_000_000));
  expect((await measureHeldBytes(long)).held).toBeLessThan(long.length + 10_000);
});
