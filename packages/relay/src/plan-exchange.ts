import { dialectOf } from './dialects.ts';
import { presentDropped } from './dropped-fields.ts';
import type { AnswerReader, ClientRequest, Exchange, ResponseHeaders } from './exchange.ts';
import { editForm } from './form-request.ts';
import { type Dialect, InvalidRequest } from './format.ts';
import type { JsonObject } from './json.ts';
import { editJson } from './json-edit.ts';
import { PassThroughReader } from './pass-through.ts';
import { PlainAnswerReader } from './plain-answer.ts';
import type { Endpoint, Provider, Target } from './provider.ts';
import { readError } from './read-error.ts';
import { secretsOf } from './redact.ts';
import { TranslatingReader } from './translate.ts';
import { withoutUnpriced } from './unpriced-fields.ts';
import { callHeaders, callUrl } from './upstream-call.ts';
import { WholeAnswerReader } from './whole-answer.ts';

/** Whether a channel of this provider can serve requests of this kind at all, translated or not. */
export function canServe(
  provider: Provider,
  { operation, format }: Pick<ClientRequest, 'operation' | 'format'>,
): boolean {
  const isTranslatable = dialectOf(format).chat !== undefined;
  return (provider.speaks[operation] ?? []).some(
    (endpoint) =>
      endpoint.format === format || (isTranslatable && dialectOf(endpoint.format).chat !== undefined),
  );
}

/**
 * One upstream call for a client's request: bytes untouched where the upstream speaks the client's dialect,
 * translated where not.
 * @throws InvalidRequest when the request cannot be translated, or the provider does not serve the operation
 * (ask `canServe` first).
 */
export function planExchange(request: ClientRequest, target: Target): Exchange {
  const endpoint = chooseEndpoint(request, target.provider);
  const client = dialectOf(request.format);
  const upstream = dialectOf(endpoint.format);
  const dropped: string[] = [];
  const body =
    client === upstream
      ? sameBody(request, target, client, dropped)
      : translate(request, target, upstream, dropped);
  return {
    url: callUrl(target, typeof endpoint.path === 'string' ? endpoint.path : endpoint.path(target, request)),
    headers: callHeaders(target, endpoint.format, request),
    body,
    dropped: presentDropped(dropped),
    readAnswer: (headers = {}) => readerFor(request, client, upstream, target, headers),
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

function chooseEndpoint(request: ClientRequest, provider: Provider): Endpoint {
  const endpoints = provider.speaks[request.operation] ?? [];
  const endpoint = endpoints.find((endpoint) => endpoint.format === request.format) ?? endpoints[0];
  if (endpoint === undefined)
    throw new InvalidRequest(`${provider.label} does not serve ${request.operation}.`);
  return endpoint;
}

/**
 * The client's own bytes, but for the model's name at the vendor, what metering needs, what the price does not cover,
 * and the vendor's quirks.
 */
function sameBody(request: ClientRequest, target: Target, dialect: Dialect, dropped: string[]): Buffer {
  const { json, body, form } = request;
  const priced = withoutUnpriced(dialect.prepare(json, target.model), dropped);
  const outgoing = applyQuirks(priced, target, dropped);
  return form === undefined ? editJson(body, json, outgoing) : editForm(body, form, json, outgoing);
}

function translate(request: ClientRequest, target: Target, upstream: Dialect, dropped: string[]): Buffer {
  const from = dialectOf(request.format).chat;
  const to = upstream.chat;
  if (from === undefined || to === undefined) {
    throw new InvalidRequest(`${target.provider.label} does not serve ${request.format}.`);
  }
  const conversation = from.decodeRequest(request.json);
  // One by one: a client may send more fields than a call takes arguments.
  for (const field of conversation.unsupported) dropped.push(field);
  const ask = { model: target.model, stream: request.facts.stream };
  const encoded = to.encodeRequest(conversation, ask, dropped);
  return Buffer.from(JSON.stringify(applyQuirks(encoded, target, dropped)));
}

function applyQuirks(body: JsonObject, target: Target, dropped: string[]): JsonObject {
  return (target.provider.quirks ?? []).reduce<JsonObject>(
    (body, quirk) => quirk(body, target, dropped),
    body,
  );
}

function readerFor(
  request: ClientRequest,
  client: Dialect,
  upstream: Dialect,
  target: Target,
  headers: ResponseHeaders,
): AnswerReader {
  const isSame = client === upstream;
  const secrets = secretsOf(target);
  const contentType = String(headers['content-type'] ?? '');
  const plain = upstream.plainAnswer?.(request.json);
  if (plain !== undefined) return new PlainAnswerReader(plain, contentType, secrets);
  const isWhole = upstream.mayAnswerWhole === true && /^application\/json\b/i.test(contentType);
  if (!request.facts.stream || isWhole)
    return new WholeAnswerReader(upstream, isSame ? undefined : client.chat, request, secrets);
  if (isSame && upstream.tap !== undefined) return new PassThroughReader(upstream.tap, request, secrets);
  if (client.chat === undefined || upstream.chat === undefined) {
    throw new InvalidRequest(`${target.provider.label} cannot stream ${request.format}.`);
  }
  return new TranslatingReader(upstream.chat, client.chat, request, secrets);
}
