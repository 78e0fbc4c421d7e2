/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */

import type { Family, HistogramPoint, NumberPoint } from './metric-registry.ts';

export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

export function formatPrometheusText(families: readonly Family[]): string {
  const lines: string[] = [];
  for (const family of families) {
    const { name, help, type, labels } = family;
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
    if (family.type === 'histogram')
      for (const point of family.points)
        addHistogram(lines, name, formatLabels(labels, point.values), family.bounds, point);
    else
      for (const { values, value } of family.points)
        lines.push(`${name}${wrapLabels(formatLabels(labels, values))} ${formatNumber(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

function addHistogram(
  lines: string[],
  name: string,
  labels: string,
  bounds: readonly number[],
  { counts, sum, count }: HistogramPoint,
): void {
  const before = labels === '' ? '' : `${labels},`;
  let upTo = 0;
  for (const [index, bound] of bounds.entries()) {
    upTo += counts[index] ?? 0;
    lines.push(`${name}_bucket{${before}le="${bound}"} ${upTo}`);
  }
  lines.push(
    `${name}_bucket{${before}le="+Inf"} ${count}`,
    `${name}_sum${wrapLabels(labels)} ${formatNumber(sum)}`,
    `${name}_count${wrapLabels(labels)} ${count}`,
  );
}

const wrapLabels = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

/** Label texts of permanent series; formatting thousands of them is most of what a scrape costs. */
const texts = new WeakMap<readonly string[], string>();

function formatLabels(names: readonly string[], values: readonly string[]): string {
  const known = texts.get(values);
  if (known !== undefined) return known;
  const text = names.map((name, index) => `${name}="${escapeValue(values[index] ?? '')}"`).join(',');
  texts.set(values, text);
  return text;
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

/** Creates families for values that are read at the moment, and not counted. */

export function createGauge(
  name: string,
  help: string,
  labels: readonly string[],
  points: readonly NumberPoint[],
): Family {
  return { name, help, type: 'gauge', labels, points };
}

export function createSingleGauge(name: string, help: string, value: number): Family {
  return createGauge(name, help, [], [{ values: [], value }]);
}

export function createSingleCounter(name: string, help: string, value: number): Family {
  return { ...createSingleGauge(name, help, value), type: 'counter', points: [{ values: [], value }] };
}
