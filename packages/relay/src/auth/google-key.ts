import { UpstreamError } from '../errors/upstream-error.ts';
import { type JsonObject, textOf } from '../json/json.ts';

/** All that Google's clouds do. */
export const CLOUD_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

/** A field of the JSON that a channel's key is. @throws UpstreamError */
export function requireField(json: JsonObject, name: string): string {
  const value = textOf(json[name]);
  if (value === undefined) throw unusableKeyError(`${name} is missing`);
  return value;
}

export function unusableKeyError(why: string): UpstreamError {
  return new UpstreamError('unauthorised', `The channel’s key is not a valid Google account: ${why}.`, {
    status: 0,
  });
}
