import { expect, test } from 'vitest';
import { parseMetrics, sumSamples } from '../../testing/parse-metrics.ts';
import { createRegistry } from './metric-registry.ts';
import { formatPrometheusText } from './prometheus-endpoint.ts';

test('every label can be parsed, regardless of its content', () => {
  const registry = createRegistry();
  const counter = registry.counter({ name: 'odd_total', help: 'Odd \\ help\nin lines', labels: ['of', 'and'] });
  for (const text of ['"', '\\', 'a\nb', '\\n', '{},=', '', '模型']) counter.add([text, 'x']);
  const samples = parseMetrics(formatPrometheusText(registry.families())).get('odd_total')?.samples ?? [];
  expect(samples.map(({ labels }) => labels['of'])).toEqual(['"', '\\', 'a\nb', '\\n', '{},=', '', '模型']);
});

test('a histogram’s buckets are cumulative, with inclusive bounds', () => {
  const registry = createRegistry();
  const histogram = registry.histogram({ name: 'h', help: 'h', labels: ['a'], bounds: [1, 2] });
  for (const value of [0.5, 1, 1.5, 2, 7]) histogram.observe(['x'], value);
  const families = parseMetrics(formatPrometheusText(registry.families()));
  const bucket = (le: string) => sumSamples(families, 'h_bucket', { a: 'x', le });
  expect([bucket('1'), bucket('2'), bucket('+Inf')]).toEqual([2, 4, 5]);
  expect(sumSamples(families, 'h_sum')).toBe(12);
  expect(sumSamples(families, 'h_count')).toBe(5);
});

test('series beyond a number are counted together, and nothing is lost', () => {
  const registry = createRegistry();
  const counter = registry.counter({ name: 'many_total', help: 'many', labels: ['a'] });
  for (let i = 0; i < 10_000; i += 1) counter.add([String(i)]);
  const samples = parseMetrics(formatPrometheusText(registry.families())).get('many_total')?.samples ?? [];
  expect(samples.length).toBe(1_001);
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(10_000);
  expect(samples.find(({ labels }) => labels['a'] === 'other')?.value).toBe(9_000);
});
