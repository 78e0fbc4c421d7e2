import { escapeControlCharacters } from '../../platform/escape-terminal-text.ts';

/** Path to a part of a configuration file: `channels[3].models`. */
export type FieldPath = readonly PropertyKey[];

/** Formats a path. Names other than plain words are quoted, so that their characters cannot control a terminal. */
export function formatPath(fieldPath: FieldPath): string {
  return fieldPath
    .map((step, at) => {
      if (typeof step === 'number') return `[${step}]`;
      const name = String(step);
      if (/^[\w-]{1,64}$/.test(name)) return at === 0 ? name : `.${name}`;
      return `[${quoteSafely(name)}]`;
    })
    .join('');
}

/** Returns JSON that also escapes the control characters that `JSON.stringify` does not. */
export function quoteSafely(value: unknown): string {
  return escapeControlCharacters(JSON.stringify(value) ?? 'null');
}
