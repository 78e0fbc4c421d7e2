import { readError } from '../errors/read-error.ts';
import { garbledError } from '../errors/response-errors.ts';
import { editJson } from '../json/json-edit.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { NonStreamingResponse } from '../model/dialect.ts';
import type { DialectId } from '../model/dialect-id.ts';
import type { Exchange } from '../model/exchange.ts';
import type { Target, TokenCountEndpoint } from '../model/provider.ts';
import { buildUpstreamHeaders, buildUpstreamUrl, signHeaders } from '../provider-kit/upstream-call.ts';
import { getDialect } from './dialects.ts';
import { NonStreamingReader, type TranslateNonStreaming } from './non-streaming-response.ts';

/**
 * Asks a vendor how many tokens a request has, which costs nothing there. Undefined where the vendor cannot be asked in
 * the client's own dialect.
 */
export function planTokenCount(request: ClientRequest, target: Target): Exchange | undefined {
  const asked = findTokenCountEndpoint(target, request.format);
  if (asked === undefined) return undefined;
  const { path, ignoresClientHeaders } = asked;
  const dialect = getDialect(request.format);
  const saying = ignoresClientHeaders === true ? { ...request, headers: {} } : request;
  const url = buildUpstreamUrl(target, typeof path === 'string' ? path : path(target, request));
  const asking = { model: target.model, stream: request.facts.stream, submission: undefined, dropped: [] };
  const said = dialect.prepare(request.json, asking);
  const body = editJson(request.body, request.json, asked.body?.(said, request, []) ?? said);
  return {
    url,
    headers: signHeaders(target, buildUpstreamHeaders(target, request.format, saying), url, body),
    body,
    isStreaming: false,
    isTaskSubmission: false,
    dropped: [],
    readResponse: () =>
      new NonStreamingReader(
        { ...dialect, readNonStreaming: () => noResponse },
        asked.read && createCountTranslator(request.format, asked),
        request,
        target,
      ),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** A count holds nothing that a model wrote. */
const noResponse: NonStreamingResponse = { usage: undefined, content: [], binaries: [] };

/** The vendor's own count of requests in this dialect; undefined where it has none, or not for this model. */
export function findTokenCountEndpoint(target: Target, format: DialectId): TokenCountEndpoint | undefined {
  const counter = target.provider.tokenCountEndpoints?.[format];
  if (counter === undefined) return undefined;
  const asked: TokenCountEndpoint = typeof counter === 'object' ? counter : { path: counter };
  return asked.serves?.(target) === false ? undefined : asked;
}

/** @throws UpstreamError `garbled` when the answer holds no count */
function createCountTranslator(format: DialectId, counter: TokenCountEndpoint): TranslateNonStreaming {
  return (answer) => {
    const tokens = counter.read?.(answer);
    if (tokens === undefined) throw garbledError('The upstream did not return a token count.');
    return encodeTokenCount(format, tokens);
  };
}

/** The answer of a gateway that counted itself; undefined for dialects that do not ask. */
export function encodeTokenCount(format: DialectId, tokens: number): string | undefined {
  const answer = getDialect(format).chat?.encodeTokenCount?.(tokens);
  return answer === undefined ? undefined : JSON.stringify(answer);
}
