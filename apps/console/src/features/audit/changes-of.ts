import { z } from 'zod';

const changesSchema = z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }));

interface Change {
  field: string;
  from: string;
  to: string;
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
    changes: Object.entries(parsed.data).map(([field, { from, to }]) => ({
      field,
      from: textOf(from),
      to: textOf(to),
    })),
    rest,
  };
}

const textOf = (value: unknown): string =>
  value === null || value === '' ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
