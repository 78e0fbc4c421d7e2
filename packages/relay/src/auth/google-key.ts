import { UpstreamError } from '../errors/upstream-error.ts';
import { type JsonObject, textOf } from '../json/json.ts';

/** OAuth scope of all services of Google Cloud. */
export const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** Returns a field of the key's JSON. @throws UpstreamError if it is missing */
export function requireField(json: JsonObject, name: string): string {
  const value = textOf(json[name]);
  if (value === undefined) throw unusableKeyError(`${name} is missing`);
  return value;
}

export function unusableKeyError(why: string): UpstreamError {
  return new UpstreamError('unauthorised', `The channel’s key is not a valid Google account: ${why}.`, { status: 0 });
}
