/** One job for each choice in `{red, blue}`. https://docs.midjourney.com/hc/en-us/articles/32761322355597-Permutations */
const permutations = /[{}]/g;
/**
 * Parameters by which a prompt costs more, or several times, or is drawn faster or slower than it is paid for. A long dash,
 * or one of another script, which a proxy may translate, is as good as two short ones. Each run of dashes is looked at once,
 * however long. https://docs.midjourney.com/hc/en-us/articles/32859204029709-Parameter-List
 */
const paidParameters =
  /(?<![-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D])(?![-\u2010\u2011]\w)[-\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]+(?:(?:fast|relax|turbo|hd|video)\b|(?:q|quality|r|repeat|oref)\b(?:[\s=:]+[^\s=:\u2010-\u2015\u2212\uFE58\uFE63\uFF0D-]\S*)?)/gi;

/** Without what would make its picture dearer than what is ordered, or several; else as it was. */
export function stripPaidParameters(prompt: string): string {
  // With a space in its place, what stood around it makes no parameter together.
  const plain = prompt.replaceAll(permutations, ' ').replaceAll(paidParameters, ' ');
  return plain === prompt ? prompt : plain.split(/\s+/).join(' ').trim();
}

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
