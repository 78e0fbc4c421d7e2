/** Converts a channel's form to JSON and back. */
import type { CreateChannel, Provider } from '@switchyard/contract/channels/channels';
import type { z } from 'zod';
import { jsonErrorLine } from '../../../ui/inputs/json-error-line.ts';
import { withKnownOptions } from './channel-form-values.ts';

export type JsonProblem =
  | { kind: 'not-json'; line: number | undefined }
  | { kind: 'unknown-field'; path: string }
  | { kind: 'refused'; path: string; issue: z.core.$ZodIssue };

export type ReadJson = { values: CreateChannel } | { problems: JsonProblem[] };

/** @param isNew includes `keys_as`, which only a new channel has */
export function jsonOf(values: CreateChannel, providers: readonly Provider[], isNew: boolean): string {
  const provider = providers.find(({ type }) => type === values.type);
  const { keys_as, ...fields } = withKnownOptions(values, provider);
  return JSON.stringify(isNew ? { ...fields, keys_as } : fields, null, 2);
}

/** Parses the JSON and reports fields that the schema does not know, which it would silently drop. */
export function readJson(text: string, schema: z.ZodType<CreateChannel>, providers: readonly Provider[]): ReadJson {
  let typed: unknown;
  try {
    typed = JSON.parse(text);
  } catch (error) {
    return { problems: [{ kind: 'not-json', line: jsonErrorLine(error) }] };
  }
  const parsed = schema.safeParse(typed, { reportInput: true });
  if (!parsed.success)
    return { problems: parsed.error.issues.map((issue) => ({ kind: 'refused', path: issue.path.join('.'), issue })) };
  const values = parsed.data;
  const known = providers.find(({ type }) => type === values.type)?.options.map(({ name }) => name) ?? [];
  const options = Object.keys(values.options).filter((name) => !known.includes(name));
  const unknown = [...unknownPaths(typed, values), ...options.map((name) => `options.${name}`)];
  if (unknown.length === 0) return { values };
  return { problems: unknown.map((path) => ({ kind: 'unknown-field', path })) };
}

/** Returns the paths that the text has but the parsed result lacks. */
function unknownPaths(typed: unknown, taken: unknown, path: readonly string[] = []): string[] {
  if (typeof typed !== 'object' || typed === null || typeof taken !== 'object' || taken === null) return [];
  const known = new Map(Object.entries(taken));
  return Object.entries(typed).flatMap(([name, value]) => {
    const inner = [...path, name];
    return known.has(name) ? unknownPaths(value, known.get(name), inner) : [inner.join('.')];
  });
}
