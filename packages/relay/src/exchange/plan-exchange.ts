import { featuresOf } from '../compatibility/features-of.ts';
import { readError } from '../errors/read-error.ts';
import { objectOf, parseJson } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Exchange } from '../model/exchange.ts';
import type { UpstreamDialect } from '../model/format.ts';
import type { FormatId, UpstreamFormatId } from '../model/format-id.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import type { Endpoint, Target } from '../model/provider.ts';
import { callHeaders, callUrl, signedHeaders, withOwn } from '../provider-kit/upstream-call.ts';
import { searchesWeb } from '../translate/searches-web.ts';
import { surfacePair } from '../translate/surface-pair.ts';
import { ToolNames } from '../translate/tool-names.ts';
import { presentDropped } from '../translate/unsupported-fields.ts';
import { dialectOf, upstreamDialectOf } from './dialects.ts';
import { outgoingBody } from './outgoing-body.ts';
import { filmOrderOf } from './plan-video-task.ts';
import { type AnswerChanges, answerReader } from './response-reader.ts';
import { isUnderstood } from './same-dialect.ts';

/**
 * Returns true if this account can serve requests of this kind at all, translated or not.
 * @param model its name at the vendor
 */
export function canServe(
  anyModel: Omit<Target, 'model'>,
  model: string,
  { operation, format }: Pick<ClientRequest, 'operation' | 'format'>,
): boolean {
  const endpoints = anyModel.provider.speaks[operation] ?? [];
  return endpoints.some(
    (endpoint) =>
      (endpoint.format === format || canTranslate(format, endpoint.format)) &&
      // Asked of each channel for each request, and few endpoints have a condition.
      (endpoint.serves === undefined || isServed(endpoint, { ...anyModel, model })),
  );
}

function isServed(endpoint: Endpoint, target: Target): boolean {
  return endpoint.serves?.(target) !== false;
}

function canTranslate(from: FormatId, to: UpstreamFormatId): boolean {
  const [client, upstream] = [dialectOf(from), upstreamDialectOf(to)];
  if (client.chat !== undefined) return upstream.chat !== undefined;
  if (client.asksVideo !== undefined) return upstream.makesVideo !== undefined;
  return surfacePair(client, upstream) !== undefined;
}

/**
 * One upstream call for a client's request: bytes untouched where the upstream speaks the client's dialect,
 * translated where not.
 * @throws InvalidRequest when the request cannot be translated, or the provider does not serve the operation
 * (ask `canServe` first).
 */
export function planExchange(request: ClientRequest, target: Target, changes: AnswerChanges = {}): Exchange {
  const endpoint = chooseEndpoint(request, target);
  const { format, path, hasNoHeaders } = endpoint;
  const upstream = upstreamDialectOf(format);
  const streams = asksForStream(request, target, upstream);
  const passes = isUnderstood(request, endpoint) && streams === request.facts.stream;
  const asked = { ...request, facts: { ...request.facts, stream: streams } };
  const dropped: string[] = [];
  const names = new ToolNames(format);
  const { bytes, headers: own } = outgoingBody(asked, target, endpoint, { dropped, names });
  const { body, calls } = callsOf(bytes, endpoint);
  const saying = hasNoHeaders === true ? { ...asked, headers: {} } : asked;
  const asking = typeof path === 'string' ? path : path(target, asked);
  const url = callUrl(target, asking);
  return {
    url,
    headers: signedHeaders(target, withOwn(callHeaders(target, format, saying), own), url, body),
    body,
    calls,
    streams,
    isOrder: upstream.orders !== undefined,
    dropped: presentDropped(dropped),
    readAnswer: (headers = {}) =>
      answerReader(request, target, { upstream, names, passes, streams, headers, path: asking, changes }),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** Returns the bodies of the calls that a request takes at an address that takes one thing a call. */
function callsOf(bytes: Buffer, { eachAlone }: Endpoint): Pick<Exchange, 'body' | 'calls'> {
  const split = eachAlone?.split(objectOf(parseJson(bytes.toString('utf8'))));
  const [body = bytes, ...others] = split?.map((one) => Buffer.from(JSON.stringify(one))) ?? [];
  if (eachAlone === undefined || others.length === 0) return { body };
  return { body, calls: { bodies: [body, ...others], join: () => eachAlone.join() } };
}

/**
 * The same request, expected to come to what the vendor makes of it: films have its lengths and resolutions.
 * @throws InvalidRequest when it makes nothing like it
 */
export function asMade(request: ClientRequest, target: Target): ClientRequest {
  if (request.operation !== 'videos') return request;
  const film = filmOrderOf(request, chooseEndpoint(request, target).format, target.model, []);
  const { expected } = request.facts;
  if (film === undefined || expected === undefined) return request;
  return { ...request, facts: { ...request.facts, expected: { ...expected, usage: film.usage } } };
}

/** Returns true if the upstream's response reaches the client as it is, neither translated nor rewritten. */
export function passesThrough(request: ClientRequest, anyModel: Omit<Target, 'model'>): boolean {
  const target = { ...anyModel, model: request.facts.model };
  const endpoint = chooseEndpoint(request, target);
  const streams = asksForStream(request, target, upstreamDialectOf(endpoint.format));
  return isUnderstood(request, endpoint) && streams === request.facts.stream;
}

/** The client's own dialect where the provider offers it for this model, unless the web is searched in another one only. */
function chooseEndpoint(request: ClientRequest, target: Target): Endpoint {
  const { provider } = target;
  const endpoints = (provider.speaks[request.operation] ?? []).filter((one) => isServed(one, target));
  const usual = endpoints.find((endpoint) => endpoint.format === request.format) ?? endpoints[0];
  if (usual === undefined) throw new InvalidRequest(`${provider.label} does not serve ${request.operation}.`);
  const canSearch = ({ format }: Endpoint): boolean => featuresOf(target, format).webSearch === 'taken';
  if (request.operation !== 'chat' || canSearch(usual) || !searchesWeb(request)) return usual;
  return endpoints.find(canSearch) ?? usual;
}

/**
 * Returns true if the upstream is asked to stream. This follows the client's request unless the upstream cannot stream,
 * or can only stream, according to the vendor or the operator.
 */
function asksForStream({ facts }: ClientRequest, target: Target, upstream: UpstreamDialect): boolean {
  const { changes, provider } = target;
  if (upstream.serves !== undefined) return false;
  if (upstream.chat === undefined) return facts.stream;
  if (upstream.chat.onlyStreams === true || provider.onlyStreams?.(target) === true) return true;
  if (changes === undefined) return facts.stream;
  return changes.streaming === 'as-asked' ? facts.stream : changes.streaming === 'always';
}
