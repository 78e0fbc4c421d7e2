/** Every provider × operation: the exact upstream request, and the translation of responses and errors. */
import { join } from 'node:path';
import {
  type Exchange,
  type Provider,
  planBalanceRequest,
  planModelLists,
  readBalance,
  readModelLists,
  UpstreamError,
} from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import type { Usage } from '@switchyard/relay/usage';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Dialect, dialects } from '../recorded-files.ts';
import { readWithSdk } from '../sdk-clients.ts';
import {
  createClientRequest,
  createTarget,
  getClientDialect,
  pickHeaders,
  planProviderExchange,
  readSentBody,
  readVendorResponse,
} from './provider-calls.ts';
import { type ProviderCall, type ProviderCases, providerCases } from './provider-cases.ts';
import { writeProviders } from './write-providers.ts';

const page = join(import.meta.dirname, '../../../docs/providers.md');

/** A signature depends on the time. */
beforeAll(() => {
  vi.setSystemTime('2026-11-21T12:00:00Z');
});
afterAll(() => {
  vi.useRealTimers();
});

test('the page of providers says how each cell was verified', async () => {
  await expect(writeProviders(providerCases)).toMatchFileSnapshot(page);
});

describe.each(providerCases.map(({ provider, cases }) => [provider.id, provider, cases] as const))(
  '%s',
  (_, provider, cases) => {
    test('has a case for each operation, a stream where it chats, and an error', () => {
      expect(cases, `packages/relay/fixtures/${provider.id}/cases.json is missing`).toBeDefined();
      const requests = (cases?.calls ?? []).map((call) => createClientRequest(call));
      const served = Object.keys(provider.endpoints).filter((operation) => operation !== 'realtime');
      const shown = requests.map(({ operation }) => operation);
      expect(served.filter((operation) => !shown.some((other) => other === operation))).toEqual([]);
      const streams = requests.filter(({ operation, facts }) => operation === 'chat' && facts.stream);
      if (served.includes('chat')) expect(streams.length).toBeGreaterThan(0);
      expect(cases?.list === undefined).toBe(provider.listModels === undefined);
      expect(cases?.balance === undefined).toBe(provider.readBalance === undefined);
    });

    if (cases !== undefined) checkCases(provider, cases);
  },
);

function checkCases(provider: Provider, cases: ProviderCases): void {
  describe.each(cases.calls.map((call) => [nameOf(call), call] as const))('%s', (_, call) => {
    test('sends exactly this upstream request', async () => {
      const exchange = planProviderExchange(provider, cases, call);
      expect(exchange.url).toBe(call.request.url);
      expect(pickHeaders(exchange)).toEqual(call.request.headers);
      expect(await readSentBody(exchange)).toEqual(call.request.body);
      expect(exchange.dropped).toEqual(call.drops);
    });

    test('translates and meters the response, however its bytes are split', async () => {
      const { body } = readVendorResponse(call);
      for (const size of [body.length, 1, 7]) await checkAnswer(provider, cases, call, size);
    });
  });

  test.each(cases.failures.map((failure) => [failure.status, failure.kind, failure] as const))(
    'a failure of %s is %s, and its words hold no key',
    (_status, kind, failure) => {
      for (const error of errorsOf(provider, cases, failure)) {
        expect(error.kind).toBe(kind);
        if (failure.message !== undefined) expect(error.message).toBe(failure.message);
        expect(error.message).not.toContain(cases.channel.key);
      }
    },
  );

  const target = createTarget(provider, cases.channel, '');
  const { list, balance } = cases;
  if (list !== undefined)
    test('lists its models', () => {
      const lists = [list, ...list.more];
      expect(planModelLists(target).map(({ url }) => url)).toEqual(lists.map(({ url }) => url));
      expect(
        readModelLists(
          target,
          lists.map(({ answer }) => answer),
        ),
      ).toEqual(list.models);
    });
  if (balance !== undefined)
    test('reads its balance', () => {
      expect(planBalanceRequest(target)?.url).toBe(balance.url);
      expect(readBalance(target, balance.answer)).toBe(balance.microUsd);
    });
}

/** The error as a response with that status; for status 200, as a whole response and as an event of a stream. */
function errorsOf(
  provider: Provider,
  cases: ProviderCases,
  { status, headers, body }: ProviderCases['failures'][number],
): UpstreamError[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const [call] = cases.calls;
  if (call === undefined) throw new Error('no call');
  if (status !== 200)
    return [planProviderExchange(provider, cases, call).readError(status, headers, Buffer.from(text))];
  const streamed = cases.calls.filter((other) => planProviderExchange(provider, cases, other).isStreaming);
  return [
    errorInside(planProviderExchange(provider, cases, call), text),
    ...streamed.map((other) => errorInside(planProviderExchange(provider, cases, other), `data: ${text}\n\n`)),
    ...streamed.map((other) => errorInside(planProviderExchange(provider, cases, other), text)),
  ];
}

function errorInside(exchange: Exchange, text: string): UpstreamError {
  const reader = exchange.readResponse();
  try {
    reader.push(Buffer.from(text));
    reader.end();
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  throw new Error('it was read as an answer');
}

function nameOf(call: ProviderCall): string {
  const { facts } = createClientRequest(call);
  const about = call.about === undefined ? '' : `, ${call.about}`;
  return `${call.client.format}${facts.stream ? ', streamed' : ''}${about}`;
}

/** @param size bytes of the pieces in which it is sent */
async function checkAnswer(provider: Provider, cases: ProviderCases, call: ProviderCall, size: number): Promise<void> {
  const { body, headers } = readVendorResponse(call);
  const reader = planProviderExchange(provider, cases, call).readResponse(headers);
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(reader.push(body.subarray(at, at + size)));
  const bytes = Buffer.concat([...pieces, reader.end()]);
  const { text, toolCalls, fields, bytes: length, order, usage } = call.says;
  expect(counted(reader.meter.usage)).toEqual(usage);
  const format = getClientDialect(call);
  if (isChat(format)) {
    const seen = await readWithSdk(format, bytes, createClientRequest(call).facts.stream);
    expect(seen.text).toBe(text ?? '');
    expect(seen.toolCalls).toEqual(toolCalls ?? []);
  }
  if (fields !== undefined) expect(parseJson(bytes.toString('utf8'))).toMatchObject(fields);
  if (length !== undefined) expect(bytes.length).toBe(length);
  expect(reader.acceptedTask?.id).toBe(order);
  const isSaid = [fields, length, order].some((said) => said !== undefined);
  expect(isChat(format) || isSaid, 'a case says nothing').toBe(true);
}

function isChat(format: string): format is Dialect {
  return dialects.some((dialect) => dialect === format);
}

function counted(usage: Usage | undefined): object | null {
  return usage === undefined
    ? null
    : Object.fromEntries(Object.entries(usage).filter(([, count]) => typeof count === 'number' && count > 0));
}
