/** The models that a key may call, page by page, as each dialect lists them. */
import type { FindFacts } from '../../catalog/models/models.ts';
import { RelayError } from '../http/relay-error.ts';
import { type ListDialect, listedModel } from './listed-model.ts';

export interface ListQuestion {
  factsOf: FindFacts;
  dialect: ListDialect;
  /** One model alone; with `models/` before its name, or without. */
  wanted: string | undefined;
  query: URLSearchParams;
}

type Listed = (id: string) => object;

/** The documented maximum of Anthropic and Gemini; what has no limit here gets as many. */
const PAGE_MAX = 1_000;

/** @param names sorted. @throws RelayError */
export function presentModels(names: readonly string[], question: ListQuestion): unknown {
  const { dialect, wanted, query, factsOf } = question;
  const listed = (id: string): object => listedModel(factsOf, dialect, id);
  if (wanted !== undefined) return listed(known(names, wanted));
  if (dialect === 'openai') return { object: 'list', data: names.map(listed) };
  return dialect === 'anthropic' ? anthropicPage(names, query, listed) : geminiPage(names, query, listed);
}

function known(names: readonly string[], wanted: string): string {
  const name = decoded(wanted);
  if (names.includes(name)) return name;
  throw new RelayError('model_not_found', `The model ${name} does not exist or is not available to you.`, {
    param: 'model',
  });
}

/** The text as it came where it is no encoding; no model is named so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** https://docs.claude.com/en/api/models-list: `limit`, and `after_id` or `before_id`. */
function anthropicPage(names: readonly string[], query: URLSearchParams, listed: Listed): unknown {
  const limit = pageSize(query, 'limit');
  const before = query.get('before_id');
  const end = before === null ? names.length : placeOf(names, before, 'before_id');
  const after = query.get('after_id');
  const from = after === null ? 0 : placeOf(names, after, 'after_id') + 1;
  // Before a model come those that are next to it.
  const start = before === null ? from : Math.max(from, end - limit);
  const page = names.slice(start, Math.min(end, start + limit));
  return {
    data: page.map(listed),
    has_more: before === null ? start + page.length < end : start > from,
    first_id: page[0] ?? null,
    last_id: page.at(-1) ?? null,
  };
}

/** https://ai.google.dev/api/models#method:-models.list: `pageSize` and `pageToken`, which is the last name seen. */
function geminiPage(names: readonly string[], query: URLSearchParams, listed: Listed): unknown {
  const token = query.get('pageToken');
  const last = token === null ? undefined : Buffer.from(token, 'base64url').toString('utf8');
  const start = last === undefined ? 0 : placeOf(names, last, 'pageToken') + 1;
  const page = names.slice(start, start + pageSize(query, 'pageSize'));
  const end = page.at(-1);
  const isLast = end === undefined || start + page.length >= names.length;
  return {
    models: page.map(listed),
    ...(isLast ? {} : { nextPageToken: Buffer.from(end).toString('base64url') }),
  };
}

function pageSize(query: URLSearchParams, param: string): number {
  const text = query.get(param) ?? String(PAGE_MAX);
  const size = Number(text);
  if (/^\d{1,4}$/.test(text) && size >= 1 && size <= PAGE_MAX) return size;
  throw new RelayError('invalid_request', `${param} must be an integer between 1 and ${PAGE_MAX}.`, {
    param,
  });
}

function placeOf(names: readonly string[], name: string, param: string): number {
  const at = names.indexOf(name);
  if (at === -1)
    throw new RelayError('invalid_request', `${param} must be the ID of a model in this list.`, { param });
  return at;
}
