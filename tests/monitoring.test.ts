/** The dashboard, the alerts and the manual contain exactly the existing metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { type ParsedFamily, parseMetrics } from '../apps/server/src/testing/parse-metrics.ts';
import { startTestApp } from '../apps/server/src/testing/start-test-app.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const manual = read('docs/manual/monitoring.md');
const readers = { dashboard: read('deploy/grafana/switchyard.json'), alerts: read('deploy/prometheus/alerts.yaml') };

let families: Map<string, ParsedFamily>;

beforeAll(async () => {
  const credentials = 'a-token-for-the-scraper';
  const app = await startTestApp({
    // Nothing listens there, which is a metric, too.
    config: { metricsReaders: [{ scheme: 'Bearer', credentials }], redisUrl: 'redis://127.0.0.1:9' },
  });
  const headers = { authorization: `Bearer ${credentials}` };
  // Sizes of queues are absent until they were read for the first time.
  await vi.waitFor(
    async () => {
      families = parseMetrics(await (await fetch(`${app.url}/api/metrics`, { headers })).text());
      expect([...families.keys()]).toContain('switchyard_tasks_waiting');
    },
    { timeout: 60_000 },
  );
  await app.close();
});

/** Names of metrics in a text, without the suffixes of a histogram's samples. */
function namesIn(text: string): Set<string> {
  const found = [...text.matchAll(/\b(?:switchyard|gen_ai_client)_[a-z_]+/g)].map(([name]) => name);
  return new Set(found.map((name) => (families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''))));
}

test.each(Object.entries(readers))('the %s uses existing metrics, according to their type', (_, text) => {
  const names = namesIn(text);
  expect(names.size).toBeGreaterThan(12);
  expect([...names].filter((name) => !families.has(name))).toEqual([]);
  for (const [whole, name = ''] of text.matchAll(/\b(?:rate|increase)\((\w+)/g)) {
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    expect(family?.type, whole).not.toBe('gauge');
  }
});

test('the dashboard shows every metric', () => {
  const shown = namesIn(readers.dashboard);
  expect([...families.keys()].filter((name) => !shown.has(name))).toEqual([]);
});

test('the manual explains every metric, with its type and labels, and no other', () => {
  const rows = [...manual.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| .+ \|$/gm)];
  const written = rows.map(([, name, type, labels = '']) => [name, type, labels.trim()].join(' '));
  const real = [...families.values()].map(({ name, type, samples }) => ({
    line: `${name} ${type}`,
    labels: new Set(samples.flatMap(({ labels }) => Object.keys(labels)).filter((label) => label !== 'le')),
    name,
  }));
  expect(rows.map(([, name = '']) => name).toSorted()).toEqual([...families.keys()].toSorted());
  for (const { line, labels } of real) {
    const row = written.find((one) => one.startsWith(`${line} `) || one === line);
    expect(row, line).toBeDefined();
    for (const label of labels) expect(row).toContain(`\`${label}\``);
  }
});

test('every label of the dashboard and the alerts is documented in the manual', () => {
  const known = new Set([...manual.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
  const ofPrometheus = new Set(['instance', 'job', 'le']);
  for (const text of Object.values(readers))
    for (const [, label = ''] of text.matchAll(/\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/g))
      expect(known.has(label) || ofPrometheus.has(label), label).toBe(true);
});
