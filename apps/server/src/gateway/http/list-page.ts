/** Lists as OpenAI's API pages them: https://platform.openai.com/docs/api-reference/batch/list */
import type { CursorPage } from '../../db/paging.ts';

/**
 * Returns the page that a client requests.
 * @param usual page size without a limit.
 * @param most maximum page size
 */
export function pageAsked(query: URLSearchParams, usual: number, most: number): CursorPage {
  const limit = Math.floor(Number(query.get('limit') ?? usual)) || usual;
  return {
    limit: Math.min(Math.max(limit, 1), most),
    after: query.get('after') ?? undefined,
    isAscending: query.get('order') === 'asc',
  };
}

/** @param found more than are shown, where there are more */
export function listPage<T extends { id: string }>(found: readonly T[], { limit }: CursorPage) {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}
