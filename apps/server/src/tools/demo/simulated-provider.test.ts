import { findProvider, planExchange, readRequest } from '@switchyard/relay';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemTimers } from '../../platform/clock.ts';
import { type SimulatedProvider, startSimulatedProvider } from './simulated-provider.ts';

let vendor: SimulatedProvider;
beforeAll(async () => {
  // It answers without its pauses.
  vendor = await startSimulatedProvider({ ...systemTimers, after: (_ms, run) => systemTimers.after(0, run) });
});
afterAll(() => vendor.close());

test.each([
  ['openai', true],
  ['openai', false],
  ['anthropic', true],
  ['anthropic', false],
])('answers %s’s chat requests, streamed: %s, in a way that the relay can meter', async (id, stream) => {
  const provider = findProvider(id);
  if (provider === undefined) throw new Error(`There is no provider ${id}`);
  const body = Buffer.from(JSON.stringify({ model: 'demo', stream, messages: [{ role: 'user', content: 'Hello' }] }));
  const request = readRequest({ operation: 'chat', format: 'openai-chat' }, body, {});
  const exchange = planExchange(request, {
    provider,
    baseUrl: vendor.url,
    credentials: { key: 'k' },
    options: {},
    headers: {},
    model: 'demo',
  });
  const headers = Object.fromEntries(
    exchange.headers.flatMap((name, at) => (at % 2 === 0 ? [[name, exchange.headers[at + 1] ?? '']] : [])),
  );
  const response = await fetch(exchange.url, { method: 'POST', headers, body: new Uint8Array(exchange.body) });
  const reader = exchange.readResponse();
  reader.push(Buffer.from(await response.arrayBuffer()));
  reader.end();
  expect(response.status).toBe(200);
  expect(reader.meter.usage?.output).toBeGreaterThan(5);
  expect(reader.meter.deliveredCharacters).toBeGreaterThan(20);
});
