import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ParsedFamily, parseMetrics, sumSamples } from '../../testing/parse-metrics.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { listJobs, runJobNow } from '../scheduler/scheduler.ts';

const TOKEN = 'a-token-for-the-scraper';

let scene: RelayScene;
let channel: string;

beforeAll(async () => {
  scene = await startRelayScene({ config: { metricsReaders: [{ scheme: 'Bearer', credentials: TOKEN }] } });
  channel = String(await scene.newChannel({ models: ['scripted', 'tokens-*'] }));
  await scene.admin
    .api(prices)
    .create({
      body: { model: 's*', rates: rates.parse({ input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION }) },
    });
});
afterAll(() => scene.close());

async function scrapeText(): Promise<string> {
  const response = await fetch(`${scene.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(response.status).toBe(200);
  return response.text();
}
const scrape = async (): Promise<Map<string, ParsedFamily>> => parseMetrics(await scrapeText());

/** How much more each is after `work`. */
async function grown(
  names: Readonly<Record<string, Readonly<Record<string, string>>>>,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const read = async (): Promise<[string, number][]> => {
    const families = await scrape();
    return Object.entries(names).map(([name, labels]) => [name, sumSamples(families, name, labels) ?? 0]);
  };
  const before = new Map(await read());
  await work();
  await scene.waitUntilSettled();
  return Object.fromEntries((await read()).map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
}

test('an answered request is counted with its channel, its tokens and exactly its charge', async () => {
  const to = { model: 'scripted', channel, provider: 'custom' };
  const growth = await grown(
    {
      switchyard_relay_requests_total: {
        operation: 'chat',
        dialect: 'openai-chat',
        ...to,
        outcome: 'answered',
        status: '200',
      },
      switchyard_relay_request_duration_seconds_count: { operation: 'chat', model: 'scripted' },
      switchyard_relay_first_byte_seconds_count: { operation: 'chat', model: 'scripted' },
      switchyard_upstream_attempts_total: { channel, provider: 'custom', outcome: 'answered', status: '200' },
      switchyard_upstream_attempt_duration_seconds_count: { channel },
      switchyard_charged_points_total: to,
      switchyard_tokens_total: to,
      gen_ai_client_operation_duration_seconds_count: {
        gen_ai_operation_name: 'chat',
        gen_ai_provider_name: 'custom',
        gen_ai_request_model: 'scripted',
        error_type: '',
      },
      gen_ai_client_token_usage_sum: { gen_ai_token_type: 'output' },
    },
    async () => {
      await (await scene.chat('scripted')).text();
      await (await scene.chat('scripted', { stream: true })).text();
    },
  );
  const records = (await scene.records()).slice(-2);
  const sum = (of: (record: (typeof records)[number]) => number) =>
    records.reduce((all, record) => all + of(record), 0);
  expect(sum(({ quota }) => quota)).toBeGreaterThan(0);
  expect(growth).toEqual({
    switchyard_relay_requests_total: 2,
    switchyard_relay_request_duration_seconds_count: 2,
    switchyard_relay_first_byte_seconds_count: sum(({ first_byte_ms }) => (first_byte_ms > 0 ? 1 : 0)),
    switchyard_upstream_attempts_total: 2,
    switchyard_upstream_attempt_duration_seconds_count: 2,
    switchyard_charged_points_total: sum(({ quota }) => quota),
    switchyard_tokens_total: sum((record) => record.prompt_tokens + record.completion_tokens),
    gen_ai_client_operation_duration_seconds_count: 2,
    gen_ai_client_token_usage_sum: sum(({ completion_tokens }) => completion_tokens),
  });
});

test('a refused request is counted by its reason, and no label contains a client’s text', async () => {
  const growth = await grown({ switchyard_relay_refusals_total: { reason: 'invalid_api_key' } }, async () => {
    await scene.chat('scripted', {}, 'sk-made-up');
  });
  expect(growth).toEqual({ switchyard_relay_refusals_total: 1 });
  const unknown = await grown(
    { switchyard_relay_requests_total: { model: 'other', channel: '', outcome: 'refused' } },
    () => scene.chat('made-up-model'),
  );
  expect(unknown).toEqual({ switchyard_relay_requests_total: 1 });
  const covered = await grown({ switchyard_relay_requests_total: { model: 'tokens-*' } }, async () => {
    await (await scene.chat('tokens-3')).text();
  });
  expect(covered).toEqual({ switchyard_relay_requests_total: 1 });
  await scene.anonymous.fetch('/api/made-up/path?made-up=1', { method: 'POST' });
  await scene.anonymous.fetch('/made-up-page');
  const text = await scrapeText();
  expect(text).not.toContain('made-up');
  expect(text).not.toContain(scene.key);
  expect(text).not.toContain(scene.user.username);
});

test('counts a refusal for an insufficient balance', async () => {
  const poor = await scene.createUser('user');
  const key = await scene.newKey({ unlimited_quota: true }, poor);
  const growth = await grown({ switchyard_relay_refusals_total: { reason: 'insufficient_user_quota' } }, () =>
    scene.chat('scripted', {}, key),
  );
  expect(growth).toEqual({ switchyard_relay_refusals_total: 1 });
});

test('attempts that fail, retries, and breakers that open show', async () => {
  await scene.admin.api(settings).updateMany({ body: [{ key: 'RetryTimes', value: '1' }] });
  const failing = await scene.newChannel({ models: ['status-500'], priority: 9 });
  const other = await scene.newChannel({ models: ['status-500'], priority: 1 });
  const growth = await grown(
    {
      switchyard_upstream_attempts_total: { channel: String(failing), outcome: 'overloaded', status: '500' },
      switchyard_relay_retries_total: { operation: 'chat' },
      switchyard_relay_requests_total: { channel: String(other), outcome: 'failed', status: '502' },
      gen_ai_client_operation_duration_seconds_count: { error_type: 'overloaded' },
    },
    async () => {
      for (let i = 0; i < 5; i += 1) await (await scene.chat('status-500')).text();
    },
  );
  expect(growth['switchyard_upstream_attempts_total']).toBeGreaterThan(0);
  expect(growth['switchyard_relay_retries_total']).toBeGreaterThan(0);
  expect(growth['switchyard_relay_requests_total']).toBeGreaterThan(0);
  expect(growth['gen_ai_client_operation_duration_seconds_count']).toBeGreaterThan(1);
  const families = await scrape();
  const out = (of: number) => sumSamples(families, 'switchyard_channel_models_out', { channel: String(of) });
  expect((out(failing) ?? 0) + (out(other) ?? 0)).toBeGreaterThan(0);
  expect(sumSamples(families, 'switchyard_channel_models_out', { channel })).toBe(0);
  expect(sumSamples(families, 'switchyard_channels_in_use')).toBe(3);
  for (const id of [failing, other]) await scene.admin.api(channels).remove({ params: { id: channelId.parse(id) } });
});

test('a running stream shows as an open hold with its age, and as a stream, until it ends', async () => {
  const slow = await scene.newChannel({ models: ['tokens-200+drip-50ms'] });
  const leave = new AbortController();
  const body = { model: 'tokens-200+drip-50ms', stream: true, messages: [{ role: 'user', content: 'Go' }] };
  const response = await scene.post('/v1/chat/completions', body, { signal: leave.signal });
  await response.body?.getReader().read();
  scene.clock.advance(30);
  const families = await scrape();
  expect(sumSamples(families, 'switchyard_open_holds', { kind: 'request' })).toBe(1);
  expect(sumSamples(families, 'switchyard_oldest_hold_age_seconds')).toBeGreaterThanOrEqual(30);
  expect(sumSamples(families, 'switchyard_relay_running_requests')).toBe(1);
  expect(sumSamples(families, 'switchyard_relay_running_streams')).toBe(1);
  // The body, and bytes on their way to the client.
  const bodyBytes = JSON.stringify(body).length;
  const memoryBytes = sumSamples(families, 'switchyard_relay_memory_bytes');
  expect(memoryBytes).toBeGreaterThanOrEqual(bodyBytes);
  expect(memoryBytes).toBeLessThan(bodyBytes + 1024);
  leave.abort();
  await scene.waitUntilSettled();
  await expect.poll(async () => sumSamples(await scrape(), 'switchyard_relay_running_requests')).toBe(0);
  const after = await scrape();
  expect(sumSamples(after, 'switchyard_open_holds')).toBe(0);
  expect(sumSamples(after, 'switchyard_oldest_hold_age_seconds')).toBe(0);
  expect(sumSamples(after, 'switchyard_relay_running_streams')).toBe(0);
  expect(sumSamples(after, 'switchyard_relay_memory_bytes')).toBe(0);
  expect(sumSamples(after, 'switchyard_movements_waiting')).toBe(0);
  expect(sumSamples(after, 'switchyard_relay_requests_total', { outcome: 'left' })).toBe(1);
  await scene.admin.api(channels).remove({ params: { id: channelId.parse(slow) } });
});

const jobOf = async () => (await listJobs(scene.ctx)).find(({ name }) => name === 'check-books');

async function checkBooks(): Promise<void> {
  await expect.poll(async () => (await jobOf())?.running).toBe(false);
  await runJobNow(scene.ctx, 'check-books');
  await expect.poll(async () => (await jobOf())?.running).toBe(false);
}

test('exports the amount of a ledger discrepancy', async () => {
  const damage = (points: number) =>
    scene.ctx.db.writer
      .updateTable('user_account')
      .set((eb) => ({ balance: eb('balance', '+', points) }))
      .where('user_id', '=', scene.user.id)
      .execute();
  await checkBooks();
  expect(sumSamples(await scrape(), 'switchyard_books_difference_points')).toBe(0);
  await damage(-11);
  await checkBooks();
  const families = await scrape();
  expect(sumSamples(families, 'switchyard_books_difference_points')).toBe(11);
  expect(sumSamples(families, 'switchyard_books_problems')).toBe(1);
  await damage(11);
});

test('jobs, commits, the process and what waits show', async () => {
  await checkBooks();
  const families = await scrape();
  expect(sumSamples(families, 'switchyard_job_runs_total', { name: 'check-books', outcome: 'ok' })).toBeGreaterThan(0);
  expect(sumSamples(families, 'switchyard_job_failing', { name: 'check-books' })).toBe(0);
  expect(
    sumSamples(families, 'switchyard_job_last_success_timestamp_seconds', { name: 'check-books' }),
  ).toBeGreaterThan(1_600_000_000);
  expect(sumSamples(families, 'switchyard_commit_duration_seconds_count')).toBeGreaterThan(3);
  expect(sumSamples(families, 'switchyard_movements_total', { result: 'written' })).toBeGreaterThan(3);
  expect(sumSamples(families, 'switchyard_movements_total', { result: 'failed' }) ?? 0).toBe(0);
  expect(sumSamples(families, 'switchyard_build_info')).toBe(1);
  expect(sumSamples(families, 'switchyard_start_time_seconds')).toBe(scene.ctx.startTime);
  for (const name of [
    'tasks_waiting',
    'batches_open',
    'batch_lines_waiting',
    'deliveries_waiting',
    'oldest_delivery_age_seconds',
    'orders_waiting',
    'refunds_waiting',
    'overload_shedding',
  ])
    expect(sumSamples(families, `switchyard_${name}`), name).toBe(0);
  scene.load.delayMs = 120;
  const strained = await scrape();
  expect(sumSamples(strained, 'switchyard_event_loop_delay_seconds', { quantile: '0.99' })).toBe(0.12);
  scene.load.delayMs = 0;
});

test('calls of the management API are counted by the patterns of their routes', async () => {
  const growth = await grown(
    {
      switchyard_http_requests_total: { method: 'GET', route: '/api/channel/:id', status: '404' },
      switchyard_http_request_duration_seconds_count: { method: 'GET', route: '/api/channel/:id' },
    },
    () => scene.admin.fetch('/api/channel/987654'),
  );
  expect(growth).toEqual({ switchyard_http_requests_total: 1, switchyard_http_request_duration_seconds_count: 1 });
});
