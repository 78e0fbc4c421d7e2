/** A task as its owner may see it: with this gateway's id and addresses in the place of the vendor's. */
import type { TaskArtifact, TaskView, UpstreamDialectId } from '@switchyard/relay';
import { isObject, objectOf } from '@switchyard/relay/json';
import { STORED_ARTIFACT_PATH } from '../artifacts/artifacts.ts';
import type { StoredStatusUpdate, TaskRow } from './task-store.ts';

/** A shorter id may be a word or a number that means something else. */
const ID_LENGTH_MIN = 6;

/**
 * @param site of this gateway, without a slash at its end; empty when it is not known
 * @param isLinked the vendor's addresses are given away
 */
export function presentTask(row: TaskRow, site: string, isLinked: boolean): TaskView {
  const { works, said, stored = {} } = JSON.parse(row.news) as StoredStatusUpdate;
  const { contains, replace } = createIdReplacer(row);
  const addressOf = ({ at = '' }: TaskArtifact, nth: number): string | undefined => {
    if (stored[nth] !== undefined && site !== '') return site + STORED_ARTIFACT_PATH + stored[nth];
    return isLinked && /^https?:/.test(at) && URL.canParse(at) && !contains(at) ? at : undefined;
  };
  return {
    id: row.id,
    originId: row.origin_id ?? undefined,
    action: row.action,
    model: row.model,
    status: row.status,
    progress: row.progress,
    prompt: row.prompt,
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

function isSameDialectFamily(client: string, upstream: UpstreamDialectId): boolean {
  return client === upstream;
}

interface IdReplacer {
  contains: (text: string) => boolean;
  /** Texts with this gateway's id in the place of the vendor's. */
  replace: (text: string) => string;
}

/** The vendor's id of a task, by which its account could be asked past this gateway. */
function createIdReplacer({ id, upstream_id }: TaskRow): IdReplacer {
  // Some are known with how they were ordered: `text2video/123`.
  const theirs = upstream_id.split('/').at(-1) ?? '';
  if (theirs.length < ID_LENGTH_MIN || theirs === id)
    return { contains: () => false, replace: (text) => (text === theirs && theirs !== '' ? id : text) };
  return {
    contains: (text) => text.includes(theirs),
    // An address with another id would lead nowhere.
    replace: (text) => (/^https?:/.test(text) ? text : text.replaceAll(theirs, id)),
  };
}

/** Replaces the id in nested members too, and where it is written as a number. */
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
