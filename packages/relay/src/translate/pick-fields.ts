import type { JsonObject } from '../json/json.ts';
import type { EncodeOptions } from '../model/conversation.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the fields that have a value. */
export function pickDefinedFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Reports the fields that have a value, which the dialect doesn't support. */
export function pushDroppedFields(fields: Fields, dropped: string[], prefix = ''): void {
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) dropped.push(`${prefix}${name}`);
}

/** Returns the fields with content that are not covered. */
export function pickUncoveredFields(covered: ReadonlySet<string>, fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !covered.has(name) && value != null));
}

/** Returns the fields that a vendor knows by the same name; pushes the names of the others to `dropped`. */
export function pickKnownFields(known: readonly string[], fields: Fields, dropped: string[]): Record<string, unknown> {
  const entries = Object.entries(fields);
  for (const [name] of entries) if (!known.includes(name)) dropped.push(name);
  return Object.fromEntries(entries.filter(([name]) => known.includes(name)));
}

/** Sets the model in the body; returns the same object if it is set already. */
export function setModel(body: JsonObject, { model }: Pick<EncodeOptions, 'model'>): JsonObject {
  return body['model'] === model ? body : { ...body, model };
}

/** Sets the model and the stream flag in the body; returns the same object if both are set already. */
export function setModelAndStream(body: JsonObject, ask: EncodeOptions): JsonObject {
  const named = setModel(body, ask);
  if ((named['stream'] ?? false) === ask.stream) return named;
  const { stream_options: _options, ...rest } = named;
  return { ...rest, stream: ask.stream };
}
