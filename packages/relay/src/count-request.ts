import type { ClientRequest } from './client-request.ts';
import { dialectOf } from './dialects.ts';
import type { Exchange } from './exchange.ts';
import type { FormatId } from './format-id.ts';
import { editJson } from './json-edit.ts';
import type { Target } from './provider.ts';
import { readError } from './read-error.ts';
import { callHeaders, callUrl, signedHeaders } from './upstream-call.ts';
import { WholeAnswerReader } from './whole-answer.ts';

/**
 * Asks a vendor how many tokens a request has, which costs nothing there. Undefined where the vendor cannot be asked in
 * the client's own dialect.
 */
export function planTokenCount(request: ClientRequest, target: Target): Exchange | undefined {
  const path = target.provider.countsTokens?.[request.format];
  if (path === undefined) return undefined;
  const dialect = dialectOf(request.format);
  const url = callUrl(target, typeof path === 'string' ? path : path(target, request));
  const ask = { model: target.model, stream: request.facts.stream };
  const body = editJson(request.body, request.json, dialect.prepare(request.json, ask));
  return {
    url,
    headers: signedHeaders(target, callHeaders(target, request.format, request), url, body),
    body,
    streams: false,
    dropped: [],
    readAnswer: () => new WholeAnswerReader(dialect, undefined, request, target),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** The answer of a gateway that counted itself; undefined for dialects that do not ask. */
export function encodeTokenCount(format: FormatId, tokens: number): string | undefined {
  const answer = dialectOf(format).chat?.encodeTokenCount?.(tokens);
  return answer === undefined ? undefined : JSON.stringify(answer);
}
