/** Descriptions of a client's values in error messages, which must not repeat a prompt. */

/** Maximum characters of a shown value. */
const SHOWN_MAX = 80;

/** Returns the type of a value with its article, for a field that may contain a prompt. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

/**
 * Returns a scalar value, shortened, the type of any other value, and `missing` for undefined. Use `describeType` for
 * a field that may contain a prompt.
 */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string')
    return JSON.stringify(value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value);
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint';
  return isScalar ? String(value).slice(0, SHOWN_MAX) : describeType(value);
}
