import { ArrayReader } from './array-reader.ts';
import { dialectOf } from './dialects.ts';
import { presentDropped } from './dropped-fields.ts';
import type { AnswerReader, ClientRequest, Exchange } from './exchange.ts';
import { type ChatFormat, type Dialect, type EmbeddingsFormat, InvalidRequest } from './format.ts';
import type { JsonObject } from './json.ts';
import { editJson } from './json-edit.ts';
import { PassThroughReader } from './pass-through.ts';
import type { Endpoint, Operation, Provider, Target } from './provider.ts';
import { readError } from './read-error.ts';
import { secretsOf } from './redact.ts';
import { TranslatingReader } from './translate.ts';
import { withoutUnpriced } from './unpriced-fields.ts';
import { callHeaders, callUrl } from './upstream-call.ts';
import { type TranslateWhole, WholeAnswerReader } from './whole-answer.ts';

/** Whether a channel of this provider can serve the operation at all. */
export function canServe(provider: Provider, operation: Operation): boolean {
  return (provider.speaks[operation]?.length ?? 0) > 0;
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
    readAnswer: () => {
      const reader = readerFor(request, client, upstream, target);
      return request.facts.stream && request.framing === 'json-array' ? new ArrayReader(reader) : reader;
    },
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
  const { json } = request;
  const priced = withoutUnpriced(dialect.prepare(json, target.model), dropped);
  const outgoing = applyQuirks(priced, target, dropped);
  return editJson(request.body, json, outgoing);
}

function translate(request: ClientRequest, target: Target, upstream: Dialect, dropped: string[]): Buffer {
  const client = dialectOf(request.format);
  const encoded = translateChat(request, target, client.chat, upstream.chat, dropped);
  const body =
    encoded ?? translateEmbeddings(request, target, client.embeddings, upstream.embeddings, dropped);
  if (body === undefined) {
    throw new InvalidRequest(`${target.provider.label} does not serve ${request.format}.`);
  }
  return Buffer.from(JSON.stringify(applyQuirks(body, target, dropped)));
}

function translateChat(
  request: ClientRequest,
  target: Target,
  from: ChatFormat | undefined,
  to: ChatFormat | undefined,
  dropped: string[],
): JsonObject | undefined {
  if (from === undefined || to === undefined) return undefined;
  const conversation = from.decodeRequest(request.json);
  // One by one: a client may send more fields than a call takes arguments.
  for (const field of conversation.unsupported) dropped.push(field);
  const ask = { model: target.model, stream: request.facts.stream };
  return to.encodeRequest(conversation, ask, dropped);
}

function translateEmbeddings(
  request: ClientRequest,
  target: Target,
  from: EmbeddingsFormat | undefined,
  to: EmbeddingsFormat | undefined,
  dropped: string[],
): JsonObject | undefined {
  if (from === undefined || to === undefined) return undefined;
  const asked = from.decodeRequest(request.json);
  for (const field of asked.unsupported) dropped.push(field);
  return to.encodeRequest(asked, target.model);
}

function applyQuirks(body: JsonObject, target: Target, dropped: string[]): JsonObject {
  return (target.provider.quirks ?? []).reduce<JsonObject>(
    (body, quirk) => quirk(body, target, dropped),
    body,
  );
}

function readerFor(request: ClientRequest, client: Dialect, upstream: Dialect, target: Target): AnswerReader {
  const isSame = client === upstream;
  const secrets = secretsOf(target);
  if (!request.facts.stream)
    return new WholeAnswerReader(
      upstream,
      isSame ? undefined : translator(client, upstream),
      request,
      secrets,
    );
  if (isSame && upstream.tap !== undefined) return new PassThroughReader(upstream.tap, request, secrets);
  if (client.chat === undefined || upstream.chat === undefined) {
    throw new InvalidRequest(`${target.provider.label} cannot stream ${request.format}.`);
  }
  return new TranslatingReader(upstream.chat, client.chat, request, secrets);
}

function translator(client: Dialect, upstream: Dialect): TranslateWhole {
  return (answer, { events }, request, lost) => {
    if (events !== undefined) return client.chat?.encodeAnswer(events, request, lost);
    const vectors = upstream.embeddings?.decodeAnswer(answer);
    return vectors && client.embeddings?.encodeAnswer(vectors, request.json, request);
  };
}
