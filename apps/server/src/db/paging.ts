/** Pages of a list, with the same rules for every feature. */
import type { Page } from '@switchyard/contract/route';
import { OperatorNode, type SelectQueryBuilder, sql } from 'kysely';

interface ListQuery {
  page: number;
  size: number;
  order?: string | undefined;
}

/**
 * Runs a filtered query for one page and for its count.
 * @param columns the column for each name that `order` may contain; the contract has validated the names
 * @param fallback order if the query has none; `tieBreak` orders rows with equal values
 */
export async function readPage<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  { page, size, order }: ListQuery,
  options: {
    columns: Readonly<Record<string, string>>;
    fallback: string;
    tieBreak: string;
    /**
     * Query that reads the page's rows by their names. With it, only the names are sorted, because the rows are wide;
     * `tieBreak` must be the name.
     */
    whole?: SelectQueryBuilder<DB, TB, O>;
    present: (row: O) => T;
  },
): Promise<Page<T>> {
  const counted = query.clearSelect().select(sql<number>`count(*)`.as('total_count')) as unknown as SelectQueryBuilder<
    DB,
    TB,
    { total_count: number }
  >;
  const { total_count } = await counted.executeTakeFirstOrThrow(() => new Error('count(*) returned no row'));
  const sorted = <Q>(rows: SelectQueryBuilder<DB, TB, Q>) => orderBy(rows, order ?? options.fallback, options);
  const paged = <Q>(rows: SelectQueryBuilder<DB, TB, Q>) =>
    sorted(rows)
      .limit(size)
      .offset((page - 1) * size);
  const name = sql.ref(options.tieBreak);
  const named = paged(query.clearSelect().select(name.as('name')));
  const rows = await (options.whole === undefined
    ? paged(query)
    : sorted(options.whole.where(sql<boolean>`${name} in (${named})`))
  ).execute();
  return { data: rows.map(options.present), page, size, total_count };
}

function orderBy<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  order: string,
  options: { columns: Readonly<Record<string, string>>; tieBreak: string },
): SelectQueryBuilder<DB, TB, O> {
  let ordered = query;
  for (const part of order.split(',')) {
    const descending = part.startsWith('-');
    const column = options.columns[descending ? part.slice(1) : part];
    if (column !== undefined) ordered = ordered.orderBy(sql.ref(column), descending ? 'desc' : 'asc');
  }
  return ordered.orderBy(sql.ref(options.tieBreak), 'desc');
}

/** Page of a list that continues after a known row. */
export interface CursorPage {
  limit: number;
  /** Id of the last row of the page before. */
  after: string | undefined;
  isAscending: boolean;
}

/**
 * Reads a page of rows in the order in which they were created.
 * @param last row before the page; undefined if there is none
 * @returns one row more than the limit, if there are more
 */
export function readPageAfter<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  last: { created_at: number; id: string } | undefined,
  { limit, isAscending }: Omit<CursorPage, 'after'>,
): Promise<O[]> {
  const direction = isAscending ? 'asc' : 'desc';
  const isBehind = isAscending ? sql`>` : sql`<`;
  const rest =
    last === undefined
      ? query
      : query.where(sql<boolean>`(created_at, id) ${isBehind} (${last.created_at}, ${last.id})`);
  return rest
    .orderBy(sql.ref('created_at'), direction)
    .orderBy(sql.ref('id'), direction)
    .limit(limit + 1)
    .execute();
}

/** Returns the pattern of a text for `like`, with `\` as escape character; use with `escape '\'`. */
function likePattern(text: string, where: 'prefix' | 'contains'): string {
  const escaped = text.replace(/[\\%_]/g, (character) => `\\${character}`);
  return where === 'prefix' ? `${escaped}%` : `%${escaped}%`;
}

/** Operator as a node of the query, because each database has a different keyword for it. */
const like = { toOperationNode: () => OperatorNode.create('like') };

/** Returns the condition `column like 'text%'`, with the text taken literally. */
export function startsWith(column: string, text: string) {
  return sql<boolean>`${sql.ref(column)} ${like} ${likePattern(text, 'prefix')} escape '\\'`;
}

export function contains(column: string, text: string) {
  return sql<boolean>`${sql.ref(column)} ${like} ${likePattern(text, 'contains')} escape '\\'`;
}

/** Returns the condition that a column equals a text regardless of ASCII case, like the unique indexes. */
export function equalsIgnoringCase(column: string, text: string) {
  const small = text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  return sql<boolean>`lower(${sql.ref(column)}) = ${small}`;
}
