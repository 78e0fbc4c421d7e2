import type { TaskArtifact, TaskUpdate } from '@switchyard/relay';
import { DEPTH_MAX, isDeeperThan } from '@switchyard/relay/json';
import type { Usage } from '@switchyard/relay/usage';

const ARTIFACTS_MAX = 100;
/** Maximum characters of JSON, for all artifacts of a task together. */
const ARTIFACTS_MAX_CHARACTERS = 200_000;
const VENDOR_FIELDS_MAX_CHARACTERS = 100_000;
/** Lyrics have a few thousand characters. */
const TEXT_MAX = 50_000;
const TITLE_MAX = 1_000;
/** Longer addresses are dropped, since a truncated one would be invalid. */
const ADDRESS_MAX = 8_000;
const FAILURE_MAX = 1_000;
/** Maximum characters of a size or resolution, which may determine the price. */
const VARIANT_MAX = 100;

/**
 * Truncates a vendor's status update to what a row may hold. Whatever a vendor sends, the result can be traversed,
 * serialized and stored; otherwise its task would stay open past the deadline.
 */
export function truncateStatusUpdate(news: TaskUpdate): TaskUpdate {
  const { failure, usage } = news;
  return {
    ...news,
    works: truncateArtifacts(news.works),
    said: isStorable(news.said) ? news.said : {},
    ...(failure === undefined ? {} : { failure: failure.slice(0, FAILURE_MAX) }),
    ...(usage === undefined ? {} : { usage: truncateUsage(usage) }),
  };
}

function truncateArtifacts(works: readonly TaskArtifact[]): TaskArtifact[] {
  const artifacts: TaskArtifact[] = [];
  let room = ARTIFACTS_MAX_CHARACTERS;
  for (const { at, text, title, coverUrl, ...rest } of works.slice(0, ARTIFACTS_MAX)) {
    if (at !== undefined && at.length > ADDRESS_MAX) continue;
    const work: TaskArtifact = {
      ...rest,
      ...(at === undefined ? {} : { at }),
      ...(text === undefined ? {} : { text: text.slice(0, TEXT_MAX) }),
      ...(title === undefined ? {} : { title: title.slice(0, TITLE_MAX) }),
      ...(coverUrl === undefined || coverUrl.length > ADDRESS_MAX ? {} : { coverUrl }),
    };
    room -= JSON.stringify(work).length;
    if (room < 0) break;
    artifacts.push(work);
  }
  return artifacts;
}

function isStorable(said: TaskUpdate['said']): boolean {
  return !isDeeperThan(DEPTH_MAX, said) && JSON.stringify(said).length <= VENDOR_FIELDS_MAX_CHARACTERS;
}

function truncateUsage({ imageVariant, ...counted }: Partial<Usage>): Partial<Usage> {
  const isShort = imageVariant !== undefined && imageVariant.length <= VARIANT_MAX;
  return isShort ? { ...counted, imageVariant } : counted;
}
