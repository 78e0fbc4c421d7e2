/** Task submissions to a midjourney-proxy: path, body and the pressed button together determine the action. */

import type { UpstreamErrorKind } from '../../errors/upstream-error.ts';
import { describeValue } from '../../json/describe-value.ts';
import { type JsonObject, parseNumber, textOf } from '../../json/json.ts';
import type { SubmissionRoute } from '../../model/client-request.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';

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

const modes = ['fast', 'relax', 'turbo'] as const;
/** Failure classes by code. */
export const kindByCode: ReadonlyMap<unknown, UpstreamErrorKind> = new Map([
  [VALIDATION_ERROR, 'rejected'],
  [BANNED_PROMPT, 'rejected'],
  [QUEUE_REJECTED, 'rate-limited'],
]);

export type MidjourneyMode = (typeof modes)[number];

/** Actions of the paths below `/mj/` that don't depend on the body. */
const byPath: Readonly<Record<string, string>> = {
  'submit/imagine': 'imagine',
  'submit/describe': 'describe',
  'submit/blend': 'blend',
  'submit/shorten': 'shorten',
  'submit/modal': 'modal',
  'insight-face/swap': 'swap_face',
};

/** Prefixes of a button's id, longer ones first. */
const byButton: readonly (readonly [RegExp, string])[] = [
  [/^MJ::JOB::upsample/, 'upscale'],
  [/^MJ::JOB::low_variation/, 'low_variation'],
  [/^MJ::JOB::high_variation/, 'high_variation'],
  [/^MJ::JOB::variation/, 'variation'],
  [/^MJ::JOB::reroll/, 'reroll'],
  [/^MJ::JOB::pan_/, 'pan'],
  [/^MJ::(?:JOB::)?Outpaint/, 'zoom'],
  [/^MJ::CustomZoom/, 'custom_zoom'],
  [/^MJ::(?:JOB::)?Inpaint/, 'inpaint'],
];

const byLetter: Readonly<Record<string, string>> = { U: 'upscale', V: 'variation', R: 'reroll' };
const byName: Readonly<Record<string, string>> = { UPSCALE: 'upscale', VARIATION: 'variation', REROLL: 'reroll' };
const simpleChange = /^\s*([\w-]{1,100})\s+(?:([UV])[1-4]|(R)[1-4]?)\s*$/i;
/** Numbers of the four images in a grid. */
const indexes: ReadonlySet<string> = new Set(['1', '2', '3', '4']);
const ownId = /^[\w-]{1,100}$/;

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

export const midjourneyPaths: ReadonlySet<string> = new Set([
  ...Object.keys(byPath),
  'submit/change',
  'submit/simple-change',
  'submit/action',
]);

/** Returns the speed mode; a follow-up uses its original task's. */
export function resolveMode({ mode, origin }: SubmissionRoute): MidjourneyMode {
  const [, said] = /^mj_(relax|turbo)_/.exec(origin?.model ?? '') ?? [];
  const asked = origin === undefined ? mode : (said ?? 'fast');
  return modes.find((known) => known === asked) ?? 'fast';
}

/** Returns the model name for routing, limits and pricing. */
export function toPriceName(action: string, mode: MidjourneyMode): string {
  return mode === 'fast' ? `mj_${action}` : `mj_${mode}_${action}`;
}

/** @throws InvalidRequestError */
export function readAction(body: JsonObject, { path = '' }: SubmissionRoute): string {
  if (Object.hasOwn(byPath, path)) return byPath[path] ?? '';
  if (path === 'submit/simple-change') {
    const [, , indexed, letter = indexed ?? ''] = simpleChange.exec(textOf(body['content']) ?? '') ?? [];
    return known(byLetter[letter.toUpperCase()], 'content');
  }
  if (path === 'submit/change') {
    const action = known(byName[textOf(body['action'])?.toUpperCase() ?? ''], 'action');
    if (action !== 'reroll' && !indexes.has(String(parseNumber(body['index']))))
      throw new InvalidRequestError(`index is ${describeValue(body['index'])}. Use 1, 2, 3 or 4.`, 'index');
    return action;
  }
  const button = textOf(body['customId']) ?? '';
  return known(byButton.find(([beginning]) => beginning.test(button))?.[1], 'customId');
}

/** @throws InvalidRequestError when a follow-up doesn't name its original task */
export function readOriginId(body: JsonObject, { path = '', originId }: SubmissionRoute): string | undefined {
  if (originId !== undefined) return originId;
  if (Object.hasOwn(byPath, path) && path !== 'submit/modal') return undefined;
  const [, simple] = simpleChange.exec(textOf(body['content']) ?? '') ?? [];
  const said = path === 'submit/simple-change' ? simple : textOf(body['taskId']);
  if (said === undefined || !ownId.test(said)) throw new InvalidRequestError('taskId is missing.', 'taskId');
  return said;
}

function known(action: string | undefined, field: string): string {
  if (action !== undefined) return action;
  throw new InvalidRequestError(`${field} names no known action. Copy it from the buttons of the task.`, field);
}

/** Removes the parameters that would raise the price or create several jobs. */
export function stripPaidParameters(prompt: string): string {
  // A space in their place prevents the surrounding text from forming another parameter.
  const plain = prompt.replaceAll(permutations, ' ').replaceAll(paidParameters, ' ');
  return plain === prompt ? prompt : plain.replaceAll(/\s+/g, ' ').trim();
}

/** Returns whether a code means that the proxy refused the submission. */
export function isRefusalCode(code: unknown): boolean {
  return refusals.has(parseNumber(code) ?? 0);
}
