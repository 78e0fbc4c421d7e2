export interface PairRow {
  /** Keeps a row's field while its name is typed. */
  key: number;
  name: string;
  value: string;
}

export type Pairs = Readonly<Record<string, string>>;

export function pairsToRows(pairs: Pairs): PairRow[] {
  return Object.entries(pairs).map(([name, value], key) => ({ key, name, value }));
}

/** Rows without a name do not count; of two rows with one name the later wins. */
export function rowsToPairs(rows: readonly PairRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.map(({ name, value }) => [name.trim(), value] as const).filter(([name]) => name !== ''),
  );
}

/** The object that a JSON text holds; undefined unless all its values are texts. */
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
