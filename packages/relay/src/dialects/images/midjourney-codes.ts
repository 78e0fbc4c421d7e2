/** Codes of midjourney-proxy. https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md */

export const NOT_FOUND = 3;
export const VALIDATION_ERROR = 4;
export const UNKNOWN_ERROR = 5;
const FAILURE = 9;
/** A window is open, at some proxies; at others the task exists already. */
export const MODAL_OPENED = 21;
export const QUEUE_REJECTED = 23;
export const BANNED_PROMPT = 24;
/** Too many requests, as One Hub and New API say it in front of a proxy. */
export const TOO_MANY_REQUESTS = 30;

const refusals: ReadonlySet<number> = new Set([
  NOT_FOUND,
  VALIDATION_ERROR,
  UNKNOWN_ERROR,
  FAILURE,
  QUEUE_REJECTED,
  BANNED_PROMPT,
  TOO_MANY_REQUESTS,
]);

/** Returns whether a code says that the proxy has not taken a submission. */
export function isRefusalCode(code: unknown): boolean {
  return refusals.has(Number(code));
}
