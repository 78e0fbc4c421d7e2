/**
 * Names one intended change, so that its repetitions are known as such. Random; `crypto.randomUUID` is missing where
 * the console is served over plain HTTP.
 */
export function newChangeId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('');
}
