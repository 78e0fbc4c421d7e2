import { z } from 'zod';

/** Changes of an entry. A secret appears only as `set` or `cleared`. */
const changesSchema = z.record(
  z.string(),
  z.union([z.object({ before: z.unknown(), after: z.unknown() }), z.string()]),
);

interface Change {
  field: string;
  /** Undefined when it is not told. */
  before: string | undefined;
  after: string;
}

/** The changes that an entry's detail tells of, as texts, and whatever else it holds. */
export function changesOf(detail: Readonly<Record<string, unknown>>): {
  changes: Change[];
  rest: Record<string, unknown>;
} {
  const { changes, ...rest } = detail;
  const parsed = changesSchema.safeParse(changes);
  if (!parsed.success) return { changes: [], rest: { ...detail } };
  return {
    changes: Object.entries(parsed.data).map(([field, change]) =>
      typeof change === 'string'
        ? { field, before: undefined, after: change }
        : { field, before: textOf(change.before), after: textOf(change.after) },
    ),
    rest,
  };
}

const textOf = (value: unknown): string =>
  value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
