/** Capabilities that a request needs; read only if routing has a choice. */

import { claudeModel } from '../dialects/chat/anthropic-messages/claude-models.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { imageParts } from '../tokens/media-part-tokens.ts';
import { readMessages } from './conversation-key.ts';

export type Capability = 'tools' | 'images' | 'streaming' | 'structured-output' | 'reasoning';

/** Returns the capabilities that a channel needs to serve this request. */
export function requiredCapabilities({ facts, framing, json }: ClientRequest): ReadonlySet<Capability> {
  const needed = new Set<Capability>();
  if (facts.hasTools) needed.add('tools');
  if (facts.stream && framing !== 'bytes') needed.add('streaming');
  if (hasImages(json)) needed.add('images');
  if (requestsStructure(json)) needed.add('structured-output');
  if (requestsReasoning(json)) needed.add('reasoning');
  return needed;
}

function hasImages(json: JsonObject): boolean {
  return readMessages(json).some((message) => {
    const { type, content, output, parts } = objectOf(message);
    if (imageParts.has(type)) return true;
    return listOf(content ?? output ?? parts).some((part) => isObject(part) && isImage(part));
  });
}

function isImage(part: JsonObject): boolean {
  if (part['type'] !== undefined) return imageParts.has(part['type']);
  const media = objectOf(part['inlineData'] ?? part['inline_data'] ?? part['fileData'] ?? part['file_data']);
  return textOf(media['mimeType'] ?? media['mime_type'])?.startsWith('image/') === true;
}

function geminiConfig(json: JsonObject): JsonObject {
  return objectOf(json['generationConfig'] ?? json['generation_config']);
}

function requestsStructure(json: JsonObject): boolean {
  const output =
    objectOf(json['output_config'])['format'] ??
    json['output_format'] ??
    json['response_format'] ??
    objectOf(json['text'])['format'];
  const { type } = objectOf(output);
  const config = geminiConfig(json);
  const mime = config['responseMimeType'] ?? config['response_mime_type'] ?? 'text/plain';
  if (mime !== 'text/plain') return true;
  return type !== undefined && type !== 'text';
}

function requestsReasoning(json: JsonObject): boolean {
  return readReasoning(json) === true;
}

/**
 * Returns whether a body, as it is sent, lets the model reason: because it asks for that, or doesn't turn it off in a
 * model that reasons by default.
 * @param model name of the model at the vendor
 */
export function enablesReasoning(body: JsonObject, model: string, format: UpstreamDialectId): boolean {
  if (listSettingHolders(body).some((holder) => readReasoning(holder) === true || turnsOnQwen(holder))) return true;
  // A server ignores what another dialect turns it off with.
  if (format === 'anthropic-messages' && objectOf(body['thinking'])['type'] === 'disabled') return false;
  // Gateways offer Claude with thinking as a model of its own.
  return claudeModel(model).thinksByDefault === true || /[:-]thinking/i.test(model);
}

/** Returns a body with the objects that servers merge into it or pass on: Bedrock's, LiteLLM's and Vercel's. */
function listSettingHolders(body: JsonObject): JsonObject[] {
  const holders: JsonObject[] = [objectOf(body['additionalModelRequestFields'])];
  for (let merged: unknown = body; isObject(merged); merged = merged['extra_body'])
    holders.push(merged, ...Object.values(objectOf(merged['providerOptions'])).filter(isObject));
  return holders;
}

/** https://www.alibabacloud.com/help/en/model-studio/deep-thinking */
function turnsOnQwen(body: JsonObject): boolean {
  return body['enable_thinking'] === true || (numberOf(body['thinking_budget']) ?? 0) > 0;
}

/**
 * Returns whether a body turns reasoning on or off; undefined if it leaves that to the model. Contradictory fields
 * turn it on: each dialect reads only its own.
 */
function readReasoning(json: JsonObject): boolean | undefined {
  const config = geminiConfig(json);
  const effort = json['reasoning_effort'];
  const settings = [
    json['thinking'],
    json['reasoning'],
    json['reasoningConfig'],
    config['thinkingConfig'] ?? config['thinking_config'],
    effort === undefined ? undefined : { effort },
  ].filter(isObject);
  if (settings.length === 0) return undefined;
  const said = new Set(settings.map(readSetting));
  return said.has(true) || (said.has(false) ? false : undefined);
}

/** Fields by which dialects turn reasoning on or off, and fields for its amount. */
const switches = ['type', 'enabled'];
const amounts = [
  'effort',
  'max_tokens',
  'budget_tokens',
  'thinkingBudget',
  'thinking_budget',
  'thinkingLevel',
  'thinking_level',
];
const offValues: ReadonlySet<unknown> = new Set(['disabled', 'none', false, 0]);

function readSetting(setting: JsonObject): boolean | undefined {
  const turned = listValues(setting, switches);
  if (turned.length > 0 && turned.every((value) => offValues.has(value))) return false;
  const amount = listValues(setting, amounts);
  const said = amount.length > 0 ? amount : turned;
  return said.length > 0 ? said.some((value) => !offValues.has(value)) : undefined;
}

function listValues(setting: JsonObject, names: readonly string[]): unknown[] {
  return names.map((name) => setting[name] ?? undefined).filter((value) => value !== undefined);
}
