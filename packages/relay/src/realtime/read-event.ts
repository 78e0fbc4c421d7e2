import { parseJson } from '../json/json.ts';
import { checkJsonSize } from '../json/json-size.ts';

/**
 * Reads a message of either side; undefined if it is not JSON.
 * @throws InvalidRequest when it would take too much memory, or is nested too deep to be walked
 */
export function readEvent(message: Buffer): unknown {
  checkJsonSize(message);
  return parseJson(message.toString('utf8'));
}
