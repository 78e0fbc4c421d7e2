/** Parses lines such as `category: 0.8`. A line without a number gets NaN, which the schema rejects. */
export function readThresholds(lines: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = Math.max(line.lastIndexOf(':'), line.lastIndexOf(' '));
      const [name, score] = at === -1 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
      return [name.replace(/[\s:]+$/, ''), score.trim() === '' ? Number.NaN : Number(score)];
    }),
  );
}

export function thresholdLines(value: unknown): string[] {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, score]) => `${name}: ${String(score)}`)
    : [];
}
