/** Lists as OpenAI's API pages them: https://platform.openai.com/docs/api-reference/batch/list */
import type { CursorPage } from '../../db/paging.ts';
import type { Query } from './relay-paths.ts';

/**
 * Returns the page that a client requests.
 * @param usual page size when the client names none
 * @param most maximum page size
 */
export function parsePage(query: Query, usual: number, most: number): CursorPage {
  const limit = Math.floor(Number(query.get('limit') ?? usual)) || usual;
  return {
    limit: Math.min(Math.max(limit, 1), most),
    after: query.get('after') ?? undefined,
    isAscending: query.get('order') === 'asc',
  };
}

/** @param found may contain one item more than the page, if there are more */
export function buildListPage<T extends { id: string }>(found: readonly T[], { limit }: CursorPage) {
  const data = found.slice(0, limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  };
}

/**
 * Maximum characters of a page with large items; a single item may be longer. The client requests the next page after
 * the last item.
 */
export const PAGE_LENGTH_MAX = 4 * 1_048_576;

/** Page that is collected item by item, so that only shown items are read. */
export class JsonPage {
  readonly #limit: number;
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  #length = 0;
  #hasMore = false;

  constructor({ limit }: Pick<CursorPage, 'limit'>) {
    this.#limit = limit;
  }

  /** True when the page accepts no more items, because there are items after it. */
  get isFull(): boolean {
    return this.#hasMore;
  }

  /** @param text JSON of the item. @returns whether the item is on the page */
  add(id: string, text: string): boolean {
    const isTooLong = this.#length > 0 && this.#length + text.length > PAGE_LENGTH_MAX;
    if (this.#ids.length === this.#limit || isTooLong) this.#hasMore = true;
    if (this.#hasMore) return false;
    this.#ids.push(id);
    this.#texts.push(text);
    this.#length += text.length;
    return true;
  }

  /** Returns the JSON of the page. */
  toJson(): string {
    const [first_id = null] = this.#ids;
    const ends = { first_id, last_id: this.#ids.at(-1) ?? null, has_more: this.#hasMore };
    return `{"object":"list","data":[${this.#texts.join(',')}],${JSON.stringify(ends).slice(1)}`;
  }
}
