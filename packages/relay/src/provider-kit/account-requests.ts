/** Request about a channel's account at the vendor: its models, or its remaining credit. */
import type { Target } from '../model/provider.ts';
import { callUrl, readHeaders } from './upstream-call.ts';

export interface ReadRequest {
  url: string;
  headers: Record<string, string>;
}

/** GETs, one for each list that the vendor has. */
export function modelListRequests(target: Target): ReadRequest[] {
  const { listModels } = target.provider;
  if (listModels === undefined) return [];
  const paths = [listModels.path(target), ...(listModels.more?.(target) ?? [])];
  return paths.map((path) => readRequestTo(target, path));
}

/** Names of models, sorted, each once. @param answers to all of these requests */
export function readModelLists(target: Target, answers: readonly unknown[]): string[] {
  const names = answers.flatMap((answer) => target.provider.listModels?.read(answer) ?? []);
  return [...new Set(names)].toSorted((a, b) => a.localeCompare(b, 'en'));
}

/** A GET, or undefined when the vendor tells no balance to an API key. */
export function balanceRequest(target: Target): ReadRequest | undefined {
  const { readBalance } = target.provider;
  return readBalance && readRequestTo(target, readBalance.path(target));
}

/** A DELETE of an answer that the vendor keeps, or undefined when it keeps none. */
export function forgetResponseRequest(target: Target, id: string): ReadRequest | undefined {
  const endpoint = target.provider.speaks.chat?.find(({ format }) => format === 'openai-responses');
  if (typeof endpoint?.path !== 'string') return undefined;
  return readRequestTo(target, `${endpoint.path}/${encodeURIComponent(id)}`, 'DELETE');
}

/** Remaining credit in micro-USD. */
export function readBalance(target: Target, json: unknown): number | undefined {
  return target.provider.readBalance?.read(json, target);
}

function readRequestTo(target: Target, path: string, method: 'GET' | 'DELETE' = 'GET'): ReadRequest {
  const url = callUrl(target, path);
  return { url, headers: readHeaders(target, url, method) };
}
