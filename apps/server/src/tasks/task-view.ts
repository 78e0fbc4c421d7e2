/** Task as its owner may see it: with this gateway's id and addresses in place of the vendor's. */
import type { TaskArtifact, TaskView, UpstreamDialectId } from '@switchyard/relay';
import { isObject, objectOf } from '@switchyard/relay/json';
import { parseUrl } from '@switchyard/relay/parse-url';
import { STORED_ARTIFACT_PATH } from '../artifacts/artifacts.ts';
import { pickFields } from '../platform/object-fields.ts';
import type { StoredStatusUpdate, TaskRow } from './task-store.ts';

/** A shorter id might be an ordinary word or number. */
const ID_LENGTH_MIN = 6;

/**
 * @param site scheme and host of this gateway without a trailing slash; empty if unknown
 * @param isLinked whether the vendor's addresses may be shown
 */
export function presentTask(row: TaskRow, site: string, isLinked: boolean): TaskView {
  const { works, said, stored = {} } = readShownUpdate(row);
  const { contains, replace } = createIdReplacer(row);
  const addressOf = ({ at = '' }: TaskArtifact, nth: number): string | undefined => {
    if (stored[nth] !== undefined && site !== '') return site + STORED_ARTIFACT_PATH + stored[nth];
    return isLinked && /^https?:/.test(at) && parseUrl(at) !== undefined && !contains(at) ? at : undefined;
  };
  return {
    ...pickFields(row, ['id', 'action', 'model', 'status', 'progress', 'prompt']),
    originId: row.origin_id ?? undefined,
    request: JSON.parse(row.request) as TaskView['request'],
    works: works.map((work, nth) => ({ ...work, address: addressOf(work, nth) })),
    failure: replace(row.failure),
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    site,
    said: isSameDialectFamily(row.client_format, row.upstream_format)
      ? objectOf(replaceDeep(said, replace))
      : undefined,
  };
}

/**
 * Parses the stored status update without what its owner may not have: the artifacts of a task that ended unpaid, with
 * the vendor's copy of their addresses, and videos before the task is charged for them.
 */
export function readShownUpdate({ news, status }: Pick<TaskRow, 'news' | 'status'>): StoredStatusUpdate {
  const update = JSON.parse(news) as StoredStatusUpdate;
  if (status === 'succeeded' || update.works.length === 0) return update;
  if (status === 'failed') return { works: [], said: {} };
  return { ...update, works: update.works.filter(({ kind }) => kind !== 'video') };
}

function isSameDialectFamily(client: string, upstream: UpstreamDialectId): boolean {
  return client === upstream;
}

interface IdReplacer {
  contains: (text: string) => boolean;
  /** Replaces the vendor's id by this gateway's. */
  replace: (text: string) => string;
}

/** Creates a replacer of the vendor's task id, which could be used to query the vendor's account directly. */
function createIdReplacer({ id, upstream_id }: TaskRow): IdReplacer {
  // Some ids include the kind of submission: `text2video/123`.
  const theirs = upstream_id.split('/').at(-1) ?? '';
  if (theirs.length < ID_LENGTH_MIN || theirs === id)
    return { contains: () => false, replace: (text) => (text === theirs && theirs !== '' ? id : text) };
  return {
    contains: (text) => text.includes(theirs),
    // An address with a replaced id would be invalid.
    replace: (text) => (/^https?:/.test(text) ? text : text.replaceAll(theirs, id)),
  };
}

/** Replaces the id in nested values too, and where it is a number. */
function replaceDeep(value: unknown, replace: IdReplacer['replace']): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number') {
    const text = String(value);
    const written = replace(text);
    return written === text || text.length < ID_LENGTH_MIN ? value : written;
  }
  if (Array.isArray(value)) return value.map((inner: unknown) => replaceDeep(inner, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, replaceDeep(inner, replace)]));
}
