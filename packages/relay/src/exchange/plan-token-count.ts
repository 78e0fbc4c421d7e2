import { readError } from '../errors/read-upstream-error.ts';
import { garbledError } from '../errors/upstream-error.ts';
import { editJson } from '../json/json-edit.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { NonStreamingResponse } from '../model/dialect.ts';
import type { DialectId } from '../model/dialect-id.ts';
import type { Target, TokenCountEndpoint } from '../model/provider.ts';
import type { Exchange } from '../model/upstream-exchange.ts';
import { buildUpstreamHeaders, buildUpstreamUrl, signHeaders } from '../provider-kit/upstream-url-and-headers.ts';
import { getDialect } from './dialect-registry.ts';
import { NonStreamingReader, type TranslateNonStreaming } from './non-streaming-reader.ts';
import { refuseOperatorData } from './outgoing-body.ts';

/**
 * Plans a free request for a vendor's token count. Returns undefined if the vendor offers none in the client's
 * dialect.
 * @throws InvalidRequestError when the request refers to the operator's own data
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
  refuseOperatorData(said, request, target);
  const body = editJson(request.body, request.json, asked.body?.(said, request, []) ?? said);
  return {
    url,
    headers: signHeaders(target, buildUpstreamHeaders(target, request.format, saying), url, body),
    body,
    isStreaming: false,
    isTaskSubmission: false,
    enablesReasoning: false,
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

/** Empty content: a token count contains no output of the model. */
const noResponse: NonStreamingResponse = { usage: undefined, content: [], binaries: [] };

/** Returns the vendor's endpoint for token counts in this dialect; undefined if it has none for this model. */
export function findTokenCountEndpoint(target: Target, format: DialectId): TokenCountEndpoint | undefined {
  const counter = target.provider.tokenCountEndpoints?.[format];
  if (counter === undefined) return undefined;
  const asked: TokenCountEndpoint = typeof counter === 'object' ? counter : { path: counter };
  return asked.serves?.(target) === false ? undefined : asked;
}

/** @throws UpstreamError `garbled` when the response has no count */
function createCountTranslator(format: DialectId, counter: TokenCountEndpoint): TranslateNonStreaming {
  return (answer) => {
    const tokens = counter.read?.(answer);
    if (tokens === undefined) throw garbledError('The upstream did not return a token count.');
    return encodeTokenCount(format, tokens);
  };
}

/** Encodes a count by the gateway; returns undefined for dialects without such requests. */
export function encodeTokenCount(format: DialectId, tokens: number): string | undefined {
  const answer = getDialect(format).chat?.encodeTokenCount?.(tokens);
  return answer === undefined ? undefined : JSON.stringify(answer);
}
