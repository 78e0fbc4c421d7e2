import { DEPTH_MAX, isDeeperThan, parseJson } from '@switchyard/relay/json';

/**
 * What text in a row says as JSON. The depth of a request's body is checked, that of text in it is not: nested deeper than
 * anybody writes, it is as good as none.
 */
export function nestedJson(text: string): unknown {
  const value = parseJson(text);
  return isDeeperThan(DEPTH_MAX, value) ? undefined : value;
}
