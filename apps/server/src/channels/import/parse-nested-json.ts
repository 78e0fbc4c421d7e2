import { DEPTH_MAX, isDeeperThan, parseJson } from '@switchyard/relay/json';

/**
 * Parses JSON text in a row. Text that is nested too deeply counts as invalid, because the depth check of request
 * bodies does not cover it.
 */
export function parseNestedJson(text: string): unknown {
  const value = parseJson(text);
  return isDeeperThan(DEPTH_MAX, value) ? undefined : value;
}
