import { garbled } from '../errors/answer-errors.ts';
import { readError } from '../errors/read-error.ts';
import { editJson } from '../json/json-edit.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Exchange } from '../model/exchange.ts';
import type { WholeAnswer } from '../model/format.ts';
import type { FormatId } from '../model/format-id.ts';
import type { Target, TokenCounter } from '../model/provider.ts';
import { callHeaders, callUrl, signedHeaders } from '../provider-kit/upstream-call.ts';
import { dialectOf } from './dialects.ts';
import { type TranslateWhole, WholeAnswerReader } from './non-streaming-response.ts';

/**
 * Asks a vendor how many tokens a request has, which costs nothing there. Undefined where the vendor cannot be asked in
 * the client's own dialect.
 */
export function planTokenCount(request: ClientRequest, target: Target): Exchange | undefined {
  const asked = counterOf(target, request.format);
  if (asked === undefined) return undefined;
  const { path, hasNoHeaders } = asked;
  const dialect = dialectOf(request.format);
  const saying = hasNoHeaders === true ? { ...request, headers: {} } : request;
  const url = callUrl(target, typeof path === 'string' ? path : path(target, request));
  const asking = { model: target.model, stream: request.facts.stream, order: undefined, dropped: [] };
  const said = dialect.prepare(request.json, asking);
  const body = editJson(request.body, request.json, asked.body?.(said, request, []) ?? said);
  return {
    url,
    headers: signedHeaders(target, callHeaders(target, request.format, saying), url, body),
    body,
    streams: false,
    isOrder: false,
    dropped: [],
    readAnswer: () =>
      new WholeAnswerReader(
        { ...dialect, readWhole: () => noAnswer },
        asked.read && inOwnWords(request.format, asked),
        request,
        target,
      ),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** A count holds nothing that a model wrote. */
const noAnswer: WholeAnswer = { usage: undefined, content: [], binaries: [] };

/** The vendor's own count of requests in this dialect; undefined where it has none, or not for this model. */
export function counterOf(target: Target, format: FormatId): TokenCounter | undefined {
  const counter = target.provider.countsTokens?.[format];
  if (counter === undefined) return undefined;
  const asked: TokenCounter = typeof counter === 'object' ? counter : { path: counter };
  return asked.serves?.(target) === false ? undefined : asked;
}

/** @throws UpstreamError `garbled` when the answer holds no count */
function inOwnWords(format: FormatId, counter: TokenCounter): TranslateWhole {
  return (answer) => {
    const tokens = counter.read?.(answer);
    if (tokens === undefined) throw garbled('The upstream did not return a token count.');
    return encodeTokenCount(format, tokens);
  };
}

/** The answer of a gateway that counted itself; undefined for dialects that do not ask. */
export function encodeTokenCount(format: FormatId, tokens: number): string | undefined {
  const answer = dialectOf(format).chat?.encodeTokenCount?.(tokens);
  return answer === undefined ? undefined : JSON.stringify(answer);
}
