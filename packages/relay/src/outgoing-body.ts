/** What an upstream is sent for a client's request. */
import type { ClientRequest } from './client-request.ts';
import type { Ask } from './conversation.ts';
import { dialectOf } from './dialects.ts';
import { withoutForeignProofs } from './foreign-proofs.ts';
import { editForm } from './form-request.ts';
import type { Dialect } from './format.ts';
import { InvalidRequest } from './invalid-request.ts';
import type { JsonObject } from './json.ts';
import { editJson } from './json-edit.ts';
import type { Target } from './provider.ts';
import { changeBody } from './request-changes.ts';
import { withoutUnpriced } from './unpriced-fields.ts';

/** The names of fields that are left out are pushed to `dropped`. @throws InvalidRequest */
export function outgoingBody(
  request: ClientRequest,
  target: Target,
  upstream: Dialect,
  dropped: string[],
): Buffer {
  const client = dialectOf(request.format);
  return client === upstream
    ? sameBody(request, target, client, dropped)
    : translatedBody(request, target, upstream, dropped);
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

function translatedBody(
  request: ClientRequest,
  target: Target,
  upstream: Dialect,
  dropped: string[],
): Buffer {
  const body = translate(request, target, upstream, dropped);
  return Buffer.from(JSON.stringify(asWanted(body, target, upstream, dropped)));
}

function translate(request: ClientRequest, target: Target, upstream: Dialect, dropped: string[]): JsonObject {
  const { chat, embeddings } = dialectOf(request.format);
  if (chat !== undefined && upstream.chat !== undefined) {
    const conversation = chat.decodeRequest(request.json);
    dropAll(conversation.unsupported, dropped);
    return upstream.chat.encodeRequest(conversation, askOf(request, target), dropped);
  }
  if (embeddings !== undefined && upstream.embeddings !== undefined) {
    const asked = embeddings.decodeRequest(request.json);
    dropAll(asked.unsupported, dropped);
    return upstream.embeddings.encodeRequest(asked, target.model);
  }
  throw new InvalidRequest(`${target.provider.label} does not serve ${request.format}.`);
}

/** One by one: a client may send more fields than a call takes arguments. */
function dropAll(fields: readonly string[], dropped: string[]): void {
  for (const field of fields) dropped.push(field);
}

function askOf({ facts }: ClientRequest, { model }: Target): Ask {
  return { model, stream: facts.stream };
}

/** As the vendor's habits, and after them the operator, want it. */
function asWanted(body: JsonObject, target: Target, dialect: Dialect, dropped: string[]): JsonObject {
  const usual = (target.provider.quirks ?? []).reduce(
    (body, quirk) => quirk(body, target, dropped, dialect.id),
    body,
  );
  const said = target.changes?.systemAsUser === true ? (dialect.chat?.systemAsUser(usual) ?? usual) : usual;
  return changeBody(said, target, dropped);
}
