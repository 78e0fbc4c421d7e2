/** Report of a run for the operator: numbers, ids and names, never a key or a hash. */

export const importKinds = ['group', 'user', 'identity', 'key', 'channel', 'price', 'code', 'order', 'log'] as const;
export type ImportKind = (typeof importKinds)[number];

interface Counts {
  read: number;
  new: number;
  /** Imported by an earlier run. */
  known: number;
  skipped: number;
}

/** Maximum number of names listed for each remark. */
const NAMED_MAX = 50;

export class ImportReport {
  readonly #counts = new Map<ImportKind, Counts>();
  readonly #remarks = new Map<string, { named: string[]; count: number }>();
  readonly #proposals: string[] = [];
  /** Points of this run's users in the source, and here. */
  sourceBalance = 0n;
  targetBalance = 0n;
  readonly differences: string[] = [];

  count(kind: ImportKind, what: keyof Counts, by = 1): void {
    const counts = this.counts(kind);
    this.#counts.set(kind, { ...counts, [what]: counts[what] + by });
  }

  counts(kind: ImportKind): Counts {
    return this.#counts.get(kind) ?? { read: 0, new: 0, known: 0, skipped: 0 };
  }

  /** @param which ids and names in the source */
  remark(kind: ImportKind, what: string, which: string): void {
    const text = `${kind}: ${what}`;
    const { named, count } = this.#remarks.get(text) ?? { named: [], count: 0 };
    if (named.length < NAMED_MAX) named.push(which);
    this.#remarks.set(text, { named, count: count + 1 });
  }

  skip(kind: ImportKind, why: string, which: string): void {
    this.count(kind, 'skipped');
    this.remark(kind, `skipped, because ${why}`, which);
  }

  /** Adds a setting that the operator may want to copy manually. */
  propose(text: string): void {
    this.#proposals.push(text);
  }

  lines(): string[] {
    return [
      `${'kind'.padEnd(10)}${['read', 'new', 'known', 'skipped'].map((name) => name.padStart(9)).join('')}`,
      ...importKinds.flatMap((kind) => {
        const { read, new: fresh, known, skipped } = this.counts(kind);
        const figures = [read, fresh, known, skipped].map((figure) => String(figure).padStart(9));
        return read === 0 ? [] : [`${kind.padEnd(10)}${figures.join('')}`];
      }),
      ...section('Differences', [...this.#remarks].map(remarkLine)),
      ...section('Settings with an equivalent here, to be set by hand', this.#proposals),
      '',
      `Balances of the users above: ${this.sourceBalance} points in the source, ${this.targetBalance} points here, ${
        this.differences.length === 0 ? 'no differences' : `${this.differences.length} differences`
      }`,
      ...this.differences.map((line) => `- ${line}`),
    ];
  }
}

function remarkLine([text, { named, count }]: readonly [string, { named: string[]; count: number }]): string {
  const more = count > named.length ? `, and ${count - named.length} more` : '';
  return `${text}: ${named.join(', ')}${more}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `- ${line}`)];
}
