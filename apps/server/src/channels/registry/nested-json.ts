import { DEPTH_MAX, isDeeperThan, parseJson } from '@switchyard/relay/json';

/**
 * Parses JSON text in a row. The depth of a request's body is checked but not that of text in it, so that text nested
 * too deeply counts as invalid.
 */
export function parseNestedJson(text: string): unknown {
  const value = parseJson(text);
  return isDeeperThan(DEPTH_MAX, value) ? undefined : value;
}
