import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig, type TelemetryConfig } from '../../config.ts';
import { createLog, silentLog } from '../../platform/log.ts';
import { createVault } from '../../platform/secrets/vault.ts';
import { advanceUntil } from '../../testing/advance-until.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../testing/otlp-receiver.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createMetrics } from './metrics.ts';
import { startTelemetry } from './send-telemetry.ts';
import { createTraceContext, type Span } from './trace.ts';

const CLIENTS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENTS_SPAN = '00f067aa0ba902b7';
const TRACEPARENT = `00-${CLIENTS_TRACE}-${CLIENTS_SPAN}-01`;
const UNSAMPLED = `00-${CLIENTS_TRACE}-${CLIENTS_SPAN}-00`;
const SECRET_WORDS = 'the moon is made of green cheese';

const vaultOf = (fill: number) => createVault(Buffer.alloc(32, 1), [{ id: 0, secret: Buffer.alloc(32, fill) }]);

let collector: OtlpReceiver;
beforeAll(async () => {
  collector = await startOtlpReceiver();
});
afterAll(() => collector.close());
afterEach(() => {
  collector.responseStatus = 200;
  collector.requests.length = 0;
});

function configOf(more: Record<string, string> = {}): TelemetryConfig {
  const { telemetry } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, ...more });
  if (telemetry === undefined) throw new Error('nothing is configured');
  return telemetry;
}

const chat = (scene: RelayScene, model: string, traceparent?: string): Promise<Response> =>
  scene.post(
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: SECRET_WORDS }] },
    { headers: traceparent === undefined ? {} : { traceparent } },
  );

describe('traces', () => {
  let scene: RelayScene;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const telemetry = configOf({
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20secret, X-Team=one',
      OTEL_SERVICE_NAME: 'gateway-of-a-test',
      TRACE_UPSTREAMS: '127.0.0.1',
    });
    const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
    scene = await startRelayScene({ config: { telemetry }, log });
    await scene.newChannel({});
    await scene.newChannel({ models: ['gpt-4o'], model_mapping: { 'gpt-4o': 'scripted+smaller' } });
  });
  afterAll(() => scene.close());

  const spansOf = async (response: Response, count: number) => {
    const id = response.headers.get('x-request-id') ?? '';
    await response.text();
    await scene.waitUntilSettled();
    const ofRequest = () => {
      const spans = collector.spans();
      const own = spans.find(({ attributes }) => attributes['switchyard.request.id'] === id);
      return own === undefined ? [] : spans.filter(({ traceId }) => traceId === own.traceId);
    };
    await advanceUntil(scene.clock, async () => expect(ofRequest()).toHaveLength(count), 2);
    const [request, ...attempts] = ofRequest().toSorted((a, b) => a.kind - b.kind);
    if (request === undefined) throw new Error('there is no span');
    return { id, request, attempts };
  };

  test('sends a span for a request and one for its attempt, by the GenAI conventions', async () => {
    const response = await chat(scene, 'gpt-4o', TRACEPARENT);
    const { id, request, attempts } = await spansOf(response, 2);
    const record = (await scene.records()).find(({ request_id }) => request_id === id);
    expect(request).toMatchObject({
      traceId: CLIENTS_TRACE,
      parentId: CLIENTS_SPAN,
      name: 'chat gpt-4o',
      kind: 2,
      status: 0,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'custom',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.usage.input_tokens': record?.prompt_tokens,
        'gen_ai.usage.output_tokens': record?.completion_tokens,
        'switchyard.points': record?.quota,
        'switchyard.outcome': 'answered',
        'http.response.status_code': 200,
      },
    });
    expect(request.attributes['gen_ai.response.model']).toEqual(expect.any(String));
    expect(attempts).toMatchObject([
      {
        traceId: CLIENTS_TRACE,
        parentId: request.spanId,
        name: 'chat scripted+smaller',
        kind: 3,
        attributes: { 'gen_ai.request.model': 'scripted+smaller', 'switchyard.channel.id': record?.channel_id },
      },
    ]);
    expect(attempts[0]?.startedAt).toBeGreaterThanOrEqual(request.startedAt);
    expect(attempts[0]?.endedAt).toBeLessThanOrEqual(request.endedAt);
    // The trace context was sent to the upstream, which is allowed to receive it.
    const sent = scene.upstream.requests.at(-1)?.headers['traceparent'];
    expect(sent).toBe(`00-${CLIENTS_TRACE}-${attempts[0]?.spanId}-01`);
  });

  test('marks the spans of a failed request, and puts its id into the log and the record', async () => {
    const response = await chat(scene, 'scripted+status-500');
    const { id, request, attempts } = await spansOf(response, 1 + (await attemptsOf(response)));
    expect(request).toMatchObject({
      parentId: '',
      status: 2,
      attributes: { 'error.type': 'upstream_error', 'switchyard.outcome': 'failed' },
    });
    expect(attempts[0]).toMatchObject({ status: 2, attributes: { 'error.type': 'overloaded' } });
    expect(lines.filter(({ request_id }) => request_id === id)).toMatchObject([
      { msg: 'relayed request refused', code: 'upstream_error' },
    ]);
    expect((await scene.records()).find(({ request_id }) => request_id === id)?.type).toBe('error');
  });

  /** Reads the record, once it is written. */
  async function attemptsOf(response: Response): Promise<number> {
    await scene.waitUntilSettled();
    const id = response.headers.get('x-request-id');
    const record = (await scene.records()).find(({ request_id }) => request_id === id);
    const detail = JSON.parse(record?.detail ?? '{}') as { attempts: unknown[] };
    return detail.attempts.length;
  }

  test('sends one span for a refused request and a log line with its id', async () => {
    const { id, request } = await spansOf(await scene.chat('scripted', {}, 'sk-nobodys'), 1);
    expect(request).toMatchObject({ status: 0, attributes: { 'error.type': 'invalid_api_key' } });
    expect(lines.filter(({ request_id }) => request_id === id)).toMatchObject([{ code: 'invalid_api_key' }]);
  });

  test('names a management API call by its route, not its path', async () => {
    const response = await scene.admin.fetch('/api/channel/424242');
    const { request } = await spansOf(response, 1);
    expect(request).toMatchObject({
      name: 'GET /api/channel/:id',
      attributes: { 'http.route': '/api/channel/:id', 'http.response.status_code': 404 },
    });
  });

  test('sends no trace where the client does not want one', async () => {
    await (await chat(scene, 'scripted', UNSAMPLED)).text();
    const { request } = await spansOf(await chat(scene, 'scripted'), 2);
    expect(request.traceId).not.toBe(CLIENTS_TRACE);
    expect(collector.spans().filter(({ traceId }) => traceId === CLIENTS_TRACE)).toEqual([]);
  });

  test('contain neither prompts nor responses, and are sent to the collector with its headers', async () => {
    const response = await chat(scene, 'scripted');
    const { choices } = (await response.clone().json()) as { choices: { message: { content: string } }[] };
    const answer = choices[0]?.message.content ?? '';
    expect(answer.length).toBeGreaterThan(5);
    await spansOf(response, 2);
    for (const { body, headers } of collector.requests) {
      const text = body.toString('latin1');
      for (const secret of [SECRET_WORDS, answer, scene.key, 'sk-upstream']) expect(text).not.toContain(secret);
      expect(headers).toMatchObject({
        'content-type': 'application/x-protobuf',
        'x-api-key': 'a secret',
        'x-team': 'one',
      });
      expect(text).toContain('gateway-of-a-test');
    }
  });
});

describe('sampling', () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => `${(i + 1).toString(16).padStart(24, '0')}00000000`);
  const sampled = (ratio: number, vault = vaultOf(1)) =>
    ids.filter((id) => createTraceContext(`00-${id}-${CLIENTS_SPAN}-01`, ratio, vault) !== undefined);

  test('keeps its ratio for trace ids that a client chooses', () => {
    expect(sampled(0)).toEqual([]);
    expect(sampled(1)).toEqual(ids);
    expect(sampled(0.1).length).toBeGreaterThan(50);
    expect(sampled(0.1).length).toBeLessThan(150);
  });

  test('samples the same traces at all nodes of an installation, and others at another installation', () => {
    expect(sampled(0.1)).toEqual(sampled(0.1, vaultOf(1)));
    expect(sampled(0.1)).not.toEqual(sampled(0.1, vaultOf(2)));
  });
});

describe('upstreams', () => {
  test('sends trace headers only to listed upstreams', async () => {
    const scene = await startRelayScene({ config: { telemetry: configOf() } });
    await scene.newChannel({});
    await (await chat(scene, 'scripted', TRACEPARENT)).text();
    expect(scene.upstream.requests.at(-1)?.headers).not.toHaveProperty('traceparent');
    await scene.close();
    // What waited was sent while the server stopped, its metrics too.
    expect(collector.spans().filter(({ traceId }) => traceId === CLIENTS_TRACE)).toHaveLength(2);
    const metrics = collector.metrics();
    expect(metrics.get('gen_ai.client.operation.duration')).toEqual([
      { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'custom', 'gen_ai.request.model': 'scripted*' },
    ]);
    expect(metrics.get('gen_ai.client.token.usage')?.map((labels) => labels['gen_ai.token.type'])).toEqual([
      'input',
      'output',
    ]);
    expect(metrics.get('switchyard_open_holds')).toEqual([{ kind: 'request' }, { kind: 'lasting' }]);
  });
});

describe('a collector', () => {
  const PACE = { spansMs: 10, metricsMs: 20, timeoutMs: 200, finalFlushMs: 300 };
  const span = (name: string): Span => ({
    traceId: CLIENTS_TRACE,
    spanId: CLIENTS_SPAN,
    parentId: undefined,
    name,
    kind: 'server',
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_000_001,
    attributes: {},
    isError: false,
  });

  function start(endpoint: string) {
    const metrics = createMetrics();
    const telemetry = startTelemetry({
      config: { ...configOf(), endpoint },
      metrics,
      read: async () => metrics.families(),
      vault: vaultOf(1),
      clock: createTestClock(undefined),
      log: silentLog,
      pace: PACE,
    });
    const counted = (result: string): number => {
      const family = metrics.families().find(({ name }) => name === 'switchyard_spans_total');
      const points = family === undefined || family.type === 'histogram' ? [] : family.points;
      return points.find(({ values }) => values[0] === result)?.value ?? 0;
    };
    return { telemetry, counted };
  }

  test.each([500, 503, 429, 'nothing'] as const)(
    'that answers %s is asked again, and nothing is lost',
    async (answers) => {
      collector.responseStatus = answers;
      const { telemetry, counted } = start(collector.url);
      for (let i = 0; i < 700; i += 1) telemetry.end(span(`span ${i}`));
      await expect.poll(() => collector.requests.length).toBeGreaterThan(2);
      expect(counted('sent')).toBe(0);
      collector.responseStatus = 200;
      collector.requests.length = 0;
      await expect.poll(() => counted('sent')).toBe(700);
      expect(new Set(collector.spans().map(({ name }) => name)).size).toBe(700);
      expect(counted('dropped')).toBe(0);
      await telemetry.close();
    },
  );

  test('sends nothing again that the collector refused', async () => {
    collector.responseStatus = 400;
    const { telemetry, counted } = start(collector.url);
    telemetry.end(span('refused'));
    await expect.poll(() => counted('dropped')).toBe(1);
    await telemetry.close();
    expect(collector.requests.filter(({ path }) => path === '/v1/traces')).toHaveLength(1);
  });

  test.each(['nothing', 'away'])(
    'that is %s for long costs the spans that find no place, which are counted',
    async (how) => {
      collector.responseStatus = 'nothing';
      const { telemetry, counted } = start(how === 'away' ? 'http://127.0.0.1:9' : collector.url);
      const readCpuMs = startCpuTimer();
      for (let i = 0; i < 10_000; i += 1) telemetry.end(span(`span ${i}`));
      expect(readCpuMs()).toBeLessThan(500);
      expect(counted('dropped')).toBe(10_000 - 4_096);
      const closing = performance.now();
      await telemetry.close();
      expect(performance.now() - closing).toBeLessThan(10_000);
      expect(counted('dropped')).toBe(10_000);
    },
  );

  test('delays no relayed request when the collector hangs', async () => {
    collector.responseStatus = 'nothing';
    const scene = await startRelayScene({ config: { telemetry: configOf() } });
    await scene.newChannel({});
    for (let i = 0; i < 20; i += 1) expect((await chat(scene, 'scripted')).status).toBe(200);
    scene.clock.advance(2);
    await expect.poll(() => collector.requests.length, { interval: 10 }).toBeGreaterThan(0);
    const closing = scene.close();
    let isClosed = false;
    const closed = closing.then(() => {
      isClosed = true;
    });
    const passing = expect.poll(
      () => {
        if (!isClosed) scene.clock.advance(1);
        return isClosed;
      },
      { interval: 50 },
    );
    await Promise.all([closed, passing.toBe(true)]);
  });
});

test('headers for a collector are refused when they are none, and their values are not repeated', () => {
  const read = (headers: string) => () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: headers });
  expect(read('authorization=Bearer%20x')).not.toThrow();
  for (const wrong of ['secret', 'a=%zz', '=x']) expect(read(wrong)).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS must be /);
  expect(read('my secret')).not.toThrow(/my secret/);
});
