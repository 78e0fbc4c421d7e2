/** Builder of the upstream's body for a client's request. */

import { findTargetFeatures } from '../compatibility/find-target-features.ts';
import { fitConversation } from '../compatibility/fit-conversation.ts';
import { fitBody } from '../compatibility/fit-request-body.ts';
import type { JsonObject } from '../json/json.ts';
import { editJson } from '../json/json-edit.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { EncodeOptions } from '../model/conversation.ts';
import type { PackedBody } from '../model/dialect.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { changeBody } from '../model/operator-body-changes.ts';
import type { Endpoint, Target } from '../model/provider.ts';
import { removeForeignSignatures } from '../model/reasoning-signature.ts';
import { createCodecPair } from '../translate/codec-pair.ts';
import type { ToolNames } from '../translate/tool-names.ts';
import { getDialect, getUpstreamDialect, planVideoSubmission } from './dialect-registry.ts';
import { editForm } from './multipart-request.ts';
import { removeUnpricedFields } from './price-fields/unpriced-fields.ts';

/** Observations during the encoding of a body. */
export interface BodyReport {
  /** Names of removed fields. */
  dropped: string[];
  names: ToolNames;
}

/**
 * Returns the body for the upstream, before it is packed into bytes.
 * @throws InvalidRequestError
 */
export function planUpstreamBody(
  request: ClientRequest,
  target: Target,
  endpoint: Endpoint,
  notes: BodyReport,
): JsonObject {
  const body = isSameDialect(request, endpoint)
    ? prepareOwnBody(request, target, notes.dropped)
    : translate(request, target, endpoint, notes);
  return applyChanges(body, request, target, endpoint, notes.dropped);
}

/** @param outgoing planned body */
export function packUpstreamBody(request: ClientRequest, endpoint: Endpoint, outgoing: JsonObject): PackedBody {
  const { json, body, form } = request;
  if (!isSameDialect(request, endpoint)) {
    const upstream = getUpstreamDialect(endpoint.format);
    return upstream.pack?.(outgoing) ?? { bytes: Buffer.from(JSON.stringify(outgoing)), headers: {} };
  }
  if (form === undefined) return { bytes: editJson(body, json, outgoing), headers: {} };
  const contentType = `multipart/form-data; boundary="${form.boundary}"`;
  return { bytes: editForm(body, form, json, outgoing), headers: { 'content-type': contentType } };
}

/**
 * Prepares the client's own body, and changes only the model's name, fields for the metering, and fields that the price
 * doesn't cover.
 */
function prepareOwnBody(request: ClientRequest, target: Target, dropped: string[]): JsonObject {
  const { format, facts } = request;
  const own = removeForeignSignatures(request, dropped);
  const preparing = { ...encodeOptionsOf(request, target), submission: request.submission, dropped };
  const imageTool = facts.imageTool && { model: target.imageToolModel };
  return removeUnpricedFields(getDialect(format).prepare(own, preparing), dropped, imageTool);
}

function translate(
  request: ClientRequest,
  target: Target,
  { format }: Endpoint,
  { dropped, names }: BodyReport,
): JsonObject {
  const client = getDialect(request.format);
  const { chat } = client;
  const upstream = getUpstreamDialect(format);
  if (chat !== undefined && upstream.chat !== undefined) {
    const conversation = fitConversation(chat.decodeRequest(request.json), findTargetFeatures(target, format), dropped);
    dropAll(conversation.unsupported, dropped);
    return upstream.chat.encodeRequest(names.renameForTarget(conversation), encodeOptionsOf(request, target), dropped);
  }
  const film = planVideoSubmission(request, format, target.model, dropped);
  if (film !== undefined) return film.body;
  const pair = createCodecPair(client, upstream);
  if (pair !== undefined) return pair.encodeRequest(request, target.model, dropped);
  const { label } = target.provider;
  throw new InvalidRequestError(
    `The provider of this model (${label}) does not support ${request.operation} in this format. Choose another model.`,
  );
}

/** Pushes one by one: a client may send more fields than a call accepts arguments. */
function dropAll(fields: readonly string[], dropped: string[]): void {
  for (const field of fields) dropped.push(field);
}

function encodeOptionsOf({ facts }: ClientRequest, { model, scopeUserId }: Target): EncodeOptions {
  return { model, stream: facts.stream, scopeUserId };
}

/** Applies the vendor's and the endpoint's requirements, then the operator's changes. */
function applyChanges(
  body: JsonObject,
  request: ClientRequest,
  target: Target,
  endpoint: Endpoint,
  dropped: string[],
): JsonObject {
  const { format } = endpoint;
  const { chat } = getUpstreamDialect(format);
  const isTranslated = !isSameDialect(request, endpoint);
  const fitted =
    chat === undefined ? body : fitBody(body, format, findTargetFeatures(target, format), { isTranslated, dropped });
  const usual = (target.provider.quirks ?? []).reduce((body, quirk) => quirk(body, target, dropped, format), fitted);
  const here = endpoint.body?.(usual, request, dropped) ?? usual;
  refuseOperatorData(here, request, target);
  const said = target.changes?.systemAsUser === true ? (chat?.systemAsUser(here) ?? here) : here;
  return changeBody(said, target, dropped);
}

/**
 * Refuses references to the operator's own data. Checks the outgoing body, which contains the references of
 * translated requests too. @throws InvalidRequestError that names the field of the client's request
 */
export function refuseOperatorData(body: JsonObject, { json }: ClientRequest, target: Target): void {
  const found = target.provider.findOperatorData?.(body, target);
  if (found === undefined) return;
  const { field, problem } = found;
  const isOwn = Object.hasOwn(json, field.replace(/\..*/, ''));
  const param = isOwn ? field : ['messages', 'input', 'contents'].find((name) => Object.hasOwn(json, name));
  throw new InvalidRequestError(`${param ?? field} ${problem}`, param);
}

/** Returns whether the upstream supports the whole request, so that neither body nor response is translated. */
export function isSameDialect({ format, json }: ClientRequest, endpoint: Endpoint): boolean {
  if (format !== endpoint.format) return false;
  return endpoint.knowsClientTools === true || getDialect(format).hasClientTools?.(json) !== true;
}
