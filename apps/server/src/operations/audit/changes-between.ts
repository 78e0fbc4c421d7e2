/** Differences of a change: names of fields, with the values before and after. */
export type Changes = Record<string, { before: unknown; after: unknown }>;

/**
 * Only fields that differ; one inside another is named with a dot, `rates.input`. Neither side may hold a secret: pass
 * what the API would answer.
 * @param names the fields to look at; all of `after` when left out
 */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  names: readonly string[] = [...new Set([...Object.keys(before), ...Object.keys(after)])],
): Changes {
  const changes: Changes = {};
  for (const name of names) {
    const [old, now] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(now)) continue;
    if (isRecord(old) && isRecord(now)) {
      for (const [inner, change] of Object.entries(changesBetween(old, now)))
        changes[`${name}.${inner}`] = change;
    } else changes[name] = { before: old ?? null, after: now ?? null };
  }
  return changes;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
