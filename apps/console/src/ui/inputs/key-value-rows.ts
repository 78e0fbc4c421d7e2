export interface PairRow {
  /** Stable React key while the name is edited. */
  key: number;
  name: string;
  value: string;
}

export type Pairs = Readonly<Record<string, string>>;

export function pairsToRows(pairs: Pairs): PairRow[] {
  return Object.entries(pairs).map(([name, value], key) => ({ key, name, value }));
}

/** Returns the object of the rows. Rows without a name are ignored; of equal names the last row wins. */
export function rowsToPairs(rows: readonly PairRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.map(({ name, value }) => [name.trim(), value] as const).filter(([name]) => name !== ''),
  );
}

/** Returns the object in a JSON text; undefined unless all of its values are strings. */
export function parsePairs(text: string): Record<string, string> | undefined {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    const entries = Object.entries(parsed).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    return entries.length === Object.keys(parsed).length ? Object.fromEntries(entries) : undefined;
  } catch {
    return undefined;
  }
}

export function isPairs(value: unknown): value is Pairs {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
