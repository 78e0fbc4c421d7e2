import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../config.ts';
import { parseMetrics } from '../../testing/parse-metrics.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const TOKEN = 'a-token-for-the-scraper';
const { metricsReaders } = readConfig({
  METRICS_TOKEN: TOKEN,
  METRICS_USER: 'prometheus',
  METRICS_PASSWORD: 'pass: word',
});

/** Of requests, of the ledger and of the process. */
const counted = ['switchyard_relay_requests_total', 'switchyard_open_holds', 'switchyard_build_info'];

let app: TestApp;

const scrape = (authorization?: string): Promise<Response> =>
  fetch(`${app.url}/api/metrics`, authorization === undefined ? {} : { headers: { authorization } });
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the address of the metrics', () => {
  afterEach(() => app.close());

  test('responds with 404 if no reader of metrics is configured', async () => {
    app = await startTestApp();
    const response = await scrape(`Bearer ${TOKEN}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false, code: 'not-found' });
  });

  test('answers the token and the name with its password, in the text format of Prometheus', async () => {
    app = await startTestApp({ config: { metricsReaders } });
    for (const authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, basic('prometheus:pass: word')]) {
      const response = await scrape(authorization);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      const families = parseMetrics(await response.text());
      for (const name of counted) expect(families.has(name), name).toBe(true);
    }
  });

  test('refuses all other callers, with the remedy', async () => {
    app = await startTestApp({ config: { metricsReaders } });
    const admin = await app.createUser('root');
    expect((await admin.fetch('/api/metrics')).status).toBe(401);
    for (const authorization of [
      undefined,
      'Bearer',
      'Bearer wrong',
      `Bearer ${TOKEN}x`,
      `Basic ${TOKEN}`,
      basic('prometheus:'),
      basic(':pass: word'),
      `Bearer ${Buffer.from('prometheus:pass: word').toString('base64')}`,
    ]) {
      const response = await scrape(authorization);
      expect(response.status, authorization).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="metrics", Basic realm="metrics"');
      expect(await response.text()).toBe('Unauthorized\n');
    }
  });

  test('limits guesses, without counting requests without credentials', async () => {
    app = await startTestApp({ config: { metricsReaders }, now: 1_700_000_000_000 });
    for (let i = 0; i < 20; i += 1) expect((await scrape()).status).toBe(401);
    for (let i = 0; i < 10; i += 1) expect((await scrape(`Bearer guess ${i}`)).status).toBe(401);
    const refused = await scrape(`Bearer ${TOKEN}`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    app.clock.advance(60);
    expect((await scrape(`Bearer ${TOKEN}`)).status).toBe(200);
  });
});

test('one of name and password is not enough, nor is a token that is short or no token', () => {
  expect(() => readConfig({ METRICS_USER: 'prometheus' })).toThrow(/^METRICS_USER must /);
  expect(() => readConfig({ METRICS_PASSWORD: 'password' })).toThrow(/^METRICS_USER must /);
  expect(() => readConfig({ METRICS_TOKEN: 'short' })).toThrow(/^METRICS_TOKEN must /);
  expect(() => readConfig({ METRICS_TOKEN: 'a token with spaces' })).toThrow(/^METRICS_TOKEN must /);
  expect(() => readConfig({ METRICS_USER: 'a:b', METRICS_PASSWORD: 'password' })).toThrow(/^METRICS_USER must /);
});
