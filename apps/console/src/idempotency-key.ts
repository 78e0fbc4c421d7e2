/**
 * Returns a random id for one intended change, so that the server recognizes its repetitions.
 * `crypto.randomUUID` is missing when the console is served over plain HTTP.
 */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
}
