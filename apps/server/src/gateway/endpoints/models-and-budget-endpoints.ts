/** Endpoints that a client queries with its key besides relayed calls: models and the key's budget. */

import type { IncomingMessage } from 'node:http';
import type { Settings } from '@switchyard/contract/operations/settings';
import type { DialectId } from '@switchyard/relay';
import { describeValue } from '@switchyard/relay/json';
import type { FindModelMetadata } from '../../catalog/models/models.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { RelayError } from '../http/relay-error.ts';
import { detectDialect, KEY_USAGE_PATH, type Query } from '../http/relay-paths.ts';
import { usableGroups } from '../pipeline/admit-request.ts';
import type { ChannelSelector } from '../routing/channel-selector.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type ModelListDialect, presentModel } from './listed-model.ts';
import type { EndpointRequest } from './read-own-tasks.ts';

export interface KeyEndpointsParts {
  snapshot: Snapshot;
  channelSelector: ChannelSelector;
  ledger: Ledger;
  readonly settings: Settings;
  /** Resolves with a function that finds the metadata of a model. */
  findFacts(): Promise<FindModelMetadata>;
}

const billing = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;
const model = /^(\/v1|\/claude\/v1|(?:\/gemini)?\/v1beta)\/models(?:\/(.+))?$/;

export function isBudgetEndpoint(method: string, path: string): boolean {
  return method === 'GET' && (path === KEY_USAGE_PATH || billing.test(path));
}

export function isModelsEndpoint(method: string, path: string): boolean {
  return method === 'GET' && model.test(path);
}

/** Resolves with the remaining budget of a key. @returns JSON */
export async function handleBudget(
  parts: KeyEndpointsParts,
  principal: Principal,
  { path }: Pick<EndpointRequest, 'path'>,
): Promise<string> {
  const asksBilling = billing.exec(path)?.[1];
  const error =
    asksBilling === undefined ? await readKeyUsage(parts, principal) : await readBudget(parts, principal, asksBilling);
  return JSON.stringify(error);
}

/** Resolves with the models that the key may use, or with one of them. @returns JSON. @throws RelayError */
export async function handleModels(
  parts: KeyEndpointsParts,
  principal: Principal,
  { message, path, query }: Pick<EndpointRequest, 'message' | 'path' | 'query'>,
): Promise<string> {
  const [, prefix = '', wanted] = model.exec(path) ?? [];
  const question = { dialect: detectListDialect(prefix, message), wanted, query };
  const factsOf = await parts.findFacts();
  return buildModelList(listKeyModels(parts, principal), {
    listed: serializeModels(factsOf, question.dialect),
    ...question,
  });
}

/** Returns the dialect in which a list of models is requested; its errors use the same one. */
export function detectModelsDialect(message: IncomingMessage, path: string): DialectId {
  const [, prefix = ''] = model.exec(path) ?? [];
  return detectListDialect(prefix, message) === 'anthropic' ? 'anthropic-messages' : detectDialect(path);
}

/** Returns the models of the key's groups that the key may use. */
function listKeyModels({ channelSelector, snapshot }: KeyEndpointsParts, principal: Principal): string[] {
  const allowed = principal.key?.models;
  const names = channelSelector.listModels(usableGroups(snapshot, principal));
  return names.filter((name) => allowed === undefined || allowed.has(name));
}

/**
 * Detects the dialect of a model list. Anthropic and OpenAI share their paths; their clients differ in their headers.
 */
function detectListDialect(prefix: string, { headers }: IncomingMessage): ModelListDialect {
  if (prefix === '/claude/v1') return 'anthropic';
  if (prefix !== '/v1') return 'gemini';
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return 'anthropic';
  return headers['x-goog-api-key'] === undefined ? 'openai' : 'gemini';
}

/** Returns the response of one of OpenAI's two retired billing endpoints, which many clients still display. */
async function readBudget(parts: KeyEndpointsParts, { user, key }: Principal, what: string): Promise<unknown> {
  const { total, used } = await parts.ledger.readBudget(user.id, key?.limited === true ? key.id : undefined);
  const { displayInCurrency, quotaPerUnit } = parts.settings;
  const shown = (points: number): number => (displayInCurrency ? points / quotaPerUnit : points);
  if (what === 'usage') return { object: 'list', total_usage: shown(used) * 100 };
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: shown(total),
    hard_limit_usd: shown(total),
    system_hard_limit_usd: shown(total),
    access_until: key === undefined || key.expiredTime === -1 ? 0 : key.expiredTime,
  };
}

/**
 * Resolves with the usage of a key in points (500,000 are 1 USD), in New API's format. A key without a limit of its
 * own spends its owner's balance, so no key is reported as unlimited.
 */
async function readKeyUsage({ ledger }: KeyEndpointsParts, { user, key }: Principal): Promise<unknown> {
  const { total, used } = await ledger.readBudget(user.id, key?.limited === true ? key.id : undefined);
  const models = key?.models;
  return {
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: key?.name ?? '',
      total_granted: total,
      total_used: used,
      total_available: total - used,
      unlimited_quota: false,
      model_limits: Object.fromEntries([...(models ?? [])].map((name) => [name, true])),
      model_limits_enabled: models !== undefined,
      expires_at: key === undefined || key.expiredTime === -1 ? 0 : key.expiredTime,
    },
  };
}

/** Request for the models that a key may call, paged as the dialect pages them. */

interface ModelListRequest {
  listed: SerializeModel;
  dialect: ModelListDialect;
  /** Name of a single requested model, with or without the prefix `models/`. */
  wanted: string | undefined;
  query: Query;
}

type SerializeModel = (id: string) => string;

/** JSON of each listed model, by its dialect and name, until the metadata change: a list may have thousands of models. */
const serialized = new WeakMap<FindModelMetadata, Map<string, string>>();

function serializeModels(factsOf: FindModelMetadata, dialect: ModelListDialect): SerializeModel {
  const known = serialized.get(factsOf) ?? new Map<string, string>();
  serialized.set(factsOf, known);
  return (id) => {
    const name = `${dialect} ${id}`;
    const json = known.get(name) ?? JSON.stringify(presentModel(factsOf, dialect, id));
    known.set(name, json);
    return json;
  };
}

/** Documented maximum of Anthropic and Gemini; also the page size when the client names none. */
const PAGE_MAX = 1_000;

/** @param names sorted. @returns JSON. @throws RelayError */
function buildModelList(names: readonly string[], { listed, dialect, wanted, query }: ModelListRequest): string {
  if (wanted !== undefined) return listed(requireModel(names, wanted));
  if (dialect === 'openai') return `{"object":"list","data":[${names.map(listed).join()}]}`;
  return dialect === 'anthropic' ? anthropicPage(names, query, listed) : geminiPage(names, query, listed);
}

function requireModel(names: readonly string[], wanted: string): string {
  const name = decodeSafely(wanted);
  if (names.includes(name)) return name;
  const refusal = `The model ${name.slice(0, 80)} does not exist, or your token cannot use it.`;
  throw new RelayError('model_not_found', `${refusal} GET /v1/models lists your models.`, { param: 'model' });
}

/** Returns the text unchanged if it is not valid percent-encoding; no model has such a name. */
function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** https://docs.claude.com/en/api/models-list: `limit`, and `after_id` or `before_id`. */
function anthropicPage(names: readonly string[], query: Query, listed: SerializeModel): string {
  const limit = pageSize(query, 'limit');
  const before = query.get('before_id');
  const end = before === null ? names.length : indexOfName(names, before, 'before_id');
  const after = query.get('after_id');
  const from = after === null ? 0 : indexOfName(names, after, 'after_id') + 1;
  // `before_id` asks for the models immediately before it.
  const start = before === null ? from : Math.max(from, end - limit);
  const page = names.slice(start, Math.min(end, start + limit));
  const place = {
    has_more: before === null ? start + page.length < end : start > from,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  };
  return `{"data":[${page.map(listed).join()}],${JSON.stringify(place).slice(1)}`;
}

/**
 * https://ai.google.dev/api/models#method:-models.list: `pageSize` and `pageToken`, which encodes the last name of
 * the previous page.
 */
function geminiPage(names: readonly string[], query: Query, listed: SerializeModel): string {
  const token = query.get('pageToken');
  const last = token === null ? undefined : Buffer.from(token, 'base64url').toString('utf8');
  const start = last === undefined ? 0 : indexOfName(names, last, 'pageToken') + 1;
  const page = names.slice(start, start + pageSize(query, 'pageSize'));
  const end = page.at(-1);
  const isLast = end === undefined || start + page.length >= names.length;
  const next = isLast ? '' : `,"nextPageToken":"${Buffer.from(end).toString('base64url')}"`;
  return `{"models":[${page.map(listed).join()}]${next}}`;
}

function pageSize(query: Query, param: string): number {
  const text = query.get(param) ?? String(PAGE_MAX);
  const size = Number(text);
  if (/^\d{1,4}$/.test(text) && size >= 1 && size <= PAGE_MAX) return size;
  const message = `${param} must be an integer between 1 and ${PAGE_MAX}, not ${describeValue(text)}.`;
  throw new RelayError('invalid_request', message, { param });
}

function indexOfName(names: readonly string[], name: string, param: string): number {
  const at = names.indexOf(name);
  if (at === -1) throw new RelayError('invalid_request', `${param} must be the ID of a model in this list.`, { param });
  return at;
}
