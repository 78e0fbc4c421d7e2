import { ArrayReader } from './array-reader.ts';
import type { ClientRequest } from './client-request.ts';
import type { Ask } from './conversation.ts';
import { dialectOf } from './dialects.ts';
import { presentDropped } from './dropped-fields.ts';
import { writeAnswer } from './emulated-stream.ts';
import type { AnswerReader, Exchange, ResponseHeaders } from './exchange.ts';
import { withoutForeignProofs } from './foreign-proofs.ts';
import { editForm } from './form-request.ts';
import type { ChatFormat, Dialect, EmbeddingsFormat } from './format.ts';
import type { FormatId } from './format-id.ts';
import { InvalidRequest } from './invalid-request.ts';
import type { JsonObject } from './json.ts';
import { editJson } from './json-edit.ts';
import { PassThroughReader } from './pass-through.ts';
import { PlainAnswerReader } from './plain-answer.ts';
import type { Endpoint, Provider, Target } from './provider.ts';
import { readError } from './read-error.ts';
import { secretsOf } from './redact.ts';
import { changeBody } from './request-changes.ts';
import { TranslatingReader } from './translate.ts';
import { withoutUnpriced } from './unpriced-fields.ts';
import { callHeaders, callUrl } from './upstream-call.ts';
import { type TranslateWhole, WholeAnswerReader } from './whole-answer.ts';

/** Whether a channel of this provider can serve requests of this kind at all, translated or not. */
export function canServe(
  provider: Provider,
  { operation, format }: Pick<ClientRequest, 'operation' | 'format'>,
): boolean {
  const endpoints = provider.speaks[operation] ?? [];
  return endpoints.some((endpoint) => endpoint.format === format || canTranslate(format, endpoint.format));
}

function canTranslate(from: FormatId, to: FormatId): boolean {
  const [client, upstream] = [dialectOf(from), dialectOf(to)];
  if (client.chat !== undefined) return upstream.chat !== undefined;
  return client.embeddings !== undefined && upstream.embeddings !== undefined;
}

/**
 * One upstream call for a client's request: bytes untouched where the upstream speaks the client's dialect,
 * translated where not.
 * @throws InvalidRequest when the request cannot be translated, or the provider does not serve the operation
 * (ask `canServe` first).
 */
export function planExchange(request: ClientRequest, target: Target): Exchange {
  const endpoint = chooseEndpoint(request, target);
  const client = dialectOf(request.format);
  const upstream = dialectOf(endpoint.format);
  const dropped: string[] = [];
  const streams = asksForStream(request, target, upstream);
  const isAsked = streams === request.facts.stream;
  const asked = isAsked ? request : { ...request, facts: { ...request.facts, stream: streams } };
  const body =
    client === upstream
      ? sameBody(asked, target, client, dropped)
      : translate(asked, target, upstream, dropped);
  return {
    url: callUrl(target, typeof endpoint.path === 'string' ? endpoint.path : endpoint.path(target, asked)),
    headers: callHeaders(target, endpoint.format, asked),
    body,
    streams,
    dropped: presentDropped(dropped),
    readAnswer: (headers = {}) => {
      const reader = readerFor(request, streams, client, upstream, target, headers);
      return request.facts.stream && request.framing === 'json-array' ? new ArrayReader(reader) : reader;
    },
    readError: (status, headers, body) => readError(target, status, headers, body),
  };
}

/** Whether the client's bytes would reach the upstream as they are, and not be translated. */
export function speaksNatively(request: ClientRequest, target: Omit<Target, 'model'>): boolean {
  return chooseEndpoint(request, { ...target, model: request.facts.model }).format === request.format;
}

function chooseEndpoint(request: ClientRequest, target: Target): Endpoint {
  const { provider } = target;
  const endpoints = (provider.speaks[request.operation] ?? []).filter(
    (endpoint) => endpoint.serves?.(target) !== false,
  );
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
  const own = withoutForeignProofs(request, dropped);
  const priced = withoutUnpriced(dialect.prepare(own, askOf(request, target)), dropped);
  const outgoing = asWanted(priced, target, dialect, dropped);
  return form === undefined ? editJson(body, json, outgoing) : editForm(body, form, json, outgoing);
}

function translate(request: ClientRequest, target: Target, upstream: Dialect, dropped: string[]): Buffer {
  const client = dialectOf(request.format);
  const encoded = translateChat(request, target, client.chat, upstream.chat, dropped);
  const body =
    encoded ?? translateEmbeddings(request, target, client.embeddings, upstream.embeddings, dropped);
  if (body === undefined) {
    throw new InvalidRequest(`${target.provider.label} does not serve ${request.format}.`);
  }
  return Buffer.from(JSON.stringify(asWanted(body, target, upstream, dropped)));
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
  return to.encodeRequest(conversation, askOf(request, target), dropped);
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

function askOf({ facts }: ClientRequest, { model }: Target): Ask {
  return { model, stream: facts.stream };
}

/** As the vendor's habits, and after them the operator, want it. */
function asWanted(body: JsonObject, target: Target, dialect: Dialect, dropped: string[]): JsonObject {
  const usual = (target.provider.quirks ?? []).reduce((body, quirk) => quirk(body, target, dropped), body);
  const said = target.changes?.systemAsUser === true ? (dialect.chat?.systemAsUser(usual) ?? usual) : usual;
  return changeBody(said, target, dropped);
}

/** As the client does, unless the operator knows that the upstream cannot, or can do nothing else. */
function asksForStream({ facts }: ClientRequest, { changes }: Target, upstream: Dialect): boolean {
  if (upstream.chat === undefined || changes === undefined) return facts.stream;
  return changes.streaming === 'as-asked' ? facts.stream : changes.streaming === 'always';
}

function readerFor(
  request: ClientRequest,
  streams: boolean,
  client: Dialect,
  upstream: Dialect,
  target: Target,
  headers: ResponseHeaders,
): AnswerReader {
  const passes = client === upstream && streams === request.facts.stream;
  const secrets = secretsOf(target);
  const contentType = String(headers['content-type'] ?? '');
  const plain = upstream.plainAnswer?.(request.json);
  if (plain !== undefined) return new PlainAnswerReader(plain, contentType, secrets);
  const isWhole = upstream.mayAnswerWhole === true && /^application\/json\b/i.test(contentType);
  if (!streams || isWhole)
    return new WholeAnswerReader(
      upstream,
      passes ? undefined : translator(client, upstream),
      request,
      secrets,
    );
  if (passes && upstream.tap !== undefined) return new PassThroughReader(upstream.tap, request, secrets);
  if (client.chat === undefined || upstream.chat === undefined) {
    throw new InvalidRequest(`${target.provider.label} cannot stream ${request.format}.`);
  }
  return new TranslatingReader(upstream.chat, client.chat, request, secrets);
}

function translator(client: Dialect, upstream: Dialect): TranslateWhole {
  return (answer, { events }, request, lost) => {
    if (events !== undefined) return client.chat && writeAnswer(client.chat, events, request, lost);
    const vectors = upstream.embeddings?.decodeAnswer(answer);
    return vectors && JSON.stringify(client.embeddings?.encodeAnswer(vectors, request.json, request));
  };
}
