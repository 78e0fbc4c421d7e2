import { InvalidRequest } from '../model/invalid-request.ts';

/**
 * A model's name as one segment of a path. Steps out of it would lead to another address.
 * @throws InvalidRequest
 */
export function encodeModelInPath(model: string): string {
  if (/^\.{0,2}$/.test(model)) throw new InvalidRequest('The model name is invalid.', 'model');
  return encodeURIComponent(model);
}
