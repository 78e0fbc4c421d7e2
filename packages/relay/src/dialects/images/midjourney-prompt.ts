/**
 * Braces of `{red, blue}`, which create one job per choice.
 * https://docs.midjourney.com/hc/en-us/articles/32761322355597-Permutations
 */
const permutations = /[{}]/g;
/**
 * Parameters that raise a prompt's price, multiply its jobs, or change the billed speed. A long dash, or a dash of
 * another script, which a proxy may translate, counts as two hyphens. Each run of dashes is scanned once, regardless
 * of its length. https://docs.midjourney.com/hc/en-us/articles/32859204029709-Parameter-List
 */
const paidParameters =
  /(?<![-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D])(?![-\u2010\u2011]\w)[-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]+(?:(?:fast|relax|turbo|hd|video)\b|(?:q|quality|r|repeat|oref)\b(?:[\s=:]+[^\s=:\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]\S*)?)/gi;

/** Removes the parameters that would raise the price or create several jobs. */
export function stripPaidParameters(prompt: string): string {
  // A space in their place prevents the surrounding text from forming another parameter.
  const plain = prompt.replaceAll(permutations, ' ').replaceAll(paidParameters, ' ');
  return plain === prompt ? prompt : plain.split(/\s+/).join(' ').trim();
}

/** Response codes of midjourney-proxy. https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md */

export const NOT_FOUND = 3;
export const VALIDATION_ERROR = 4;
export const UNKNOWN_ERROR = 5;
const FAILURE = 9;
/** Some proxies then wait for the user's input; for others the task already exists. */
export const MODAL_OPENED = 21;
export const QUEUE_REJECTED = 23;
export const BANNED_PROMPT = 24;
/** Too many requests, as reported by One Hub and New API in front of a proxy. */
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

/** Returns whether a code means that the proxy refused the submission. */
export function isRefusalCode(code: unknown): boolean {
  return refusals.has(Number(code));
}
