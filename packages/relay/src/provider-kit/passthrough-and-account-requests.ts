/**
 * Requests that no dialect translates: those about a channel's account at the vendor (its models, its remaining credit,
 * or a stored response), and those of clients that are passed through.
 */

import { readError } from '../errors/read-upstream-error.ts';
import type { UpstreamError } from '../errors/upstream-error.ts';
import { listOf, objectOf, textOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import { buildAccountHeaders, buildUpstreamUrl } from './upstream-url-and-headers.ts';

export interface AccountRequest {
  url: string;
  headers: Record<string, string>;
}

/** Plans GET requests, one for each of the vendor's lists. */
export function planModelLists(target: Target): AccountRequest[] {
  const { listModels } = target.provider;
  if (listModels === undefined) return [];
  const paths = [listModels.path(target), ...(listModels.more?.(target) ?? [])];
  return paths.map((path) => planAccountRequest(target, path));
}

/** Maximum models of a vendor. Another server could list half a million, which takes seconds to sort. */
const MODELS_MAX = 20_000;
/** Maximum characters of a model's name, as the contract allows them for a channel's models. */
const MODEL_NAME_MAX = 128;

/**
 * Returns the unique names of models that a channel can have, in the order of their code units; of a longer list, those
 * that come first. A comparison by a language's rules takes time by the square of a name's combining marks.
 * @param answers responses to all of these requests
 */
export function readModelLists(target: Target, answers: readonly unknown[]): string[] {
  const names = new Set<string>();
  for (const answer of answers)
    for (const name of target.provider.listModels?.read(answer) ?? []) {
      if (names.size >= MODELS_MAX) break;
      if (name !== '' && name.length <= MODEL_NAME_MAX) names.add(name);
    }
  return [...names].toSorted();
}

/** Plans a GET request; returns undefined if the vendor reports no balance to an API key. */
export function planBalanceRequest(target: Target): AccountRequest | undefined {
  const { readBalance } = target.provider;
  return readBalance && planAccountRequest(target, readBalance.path(target));
}

/** Plans the DELETE request of a response that the vendor stores; returns undefined if it stores none. */
export function planResponseDeletion(target: Target, id: string): AccountRequest | undefined {
  const endpoint = target.provider.endpoints.chat?.find(({ format }) => format === 'openai-responses');
  if (typeof endpoint?.path !== 'string') return undefined;
  return planAccountRequest(target, `${endpoint.path}/${encodeURIComponent(id)}`, 'DELETE');
}

/** Returns the remaining credit in micro-USD. */
export function readBalance(target: Target, json: unknown): number | undefined {
  return target.provider.readBalance?.read(json, target);
}

function planAccountRequest(target: Target, path: string, method: 'GET' | 'DELETE' = 'GET'): AccountRequest {
  const url = buildUpstreamUrl(target, path);
  return { url, headers: buildAccountHeaders(target, url, method) };
}

/** Reads model names from `{data: [{id}]}`, the list of OpenAI and most vendors, or from a bare list. */
export function readOpenaiModelIds(body: unknown): string[] {
  const models = listOf(Array.isArray(body) ? body : objectOf(body)['data']);
  return models.slice(0, MODELS_MAX).flatMap((model) => textOf(objectOf(model)['id']) ?? []);
}

/** Returns an amount in USD, given as a number or text, in micro-USD; undefined for other values. */
export function toMicroUsd(amount: unknown): number | undefined {
  if (typeof amount !== 'number' && (typeof amount !== 'string' || amount.trim() === '')) return undefined;
  const micros = Math.round(Number(amount) * 1_000_000);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Passthrough request, of which only the target URL is read. */
export interface PassthroughCall {
  readonly url: string;
  /** Name, value, name, value, … */
  readonly headers: string[];
  /** Reads an error; its message never contains the channel's credentials. */
  readError(status: number, headers: ResponseHeaders, body: Buffer): UpstreamError;
}

/** Client headers that are forwarded: those that describe the body or the desired response. */
const forwardedHeaders = [
  'accept',
  'content-type',
  'content-length',
  'openai-beta',
  'anthropic-beta',
  'anthropic-version',
];

/** @param address path and query. @param headers client's headers in lower case */
export function planPassthroughCall(target: Target, address: string, headers: ResponseHeaders): PassthroughCall {
  const url = buildUpstreamUrl(target, address);
  const said = forwardedHeaders.flatMap((name): [string, string][] => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const own = Object.entries(buildAccountHeaders(target, url)).filter(
    ([name]) => !(name === 'accept' || name === 'content-type') || headers[name] === undefined,
  );
  const all = new Map([...said, ...own, ['accept-encoding', 'identity'] as const]);
  return {
    url,
    headers: [...all].flat(),
    readError: (status, answered, body) => readError(target, status, answered, body),
  };
}
