import type { ListQuery } from './table-columns-and-props.ts';
import type { ListView } from './url-list-state.ts';

type SortValues<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

/**
 * Sorts and pages rows that are all loaded, as a server would. Unknown values come last.
 * @param values sort value of each sortable column, by column id
 */
export function localPage<Row>(
  rows: readonly Row[],
  { order, page, size }: Pick<ListView, 'order' | 'page' | 'size'>,
  values: SortValues<Row>,
): Row[] {
  const column = order?.replace(/^-/, '') ?? '';
  const value = Object.hasOwn(values, column) ? values[column] : undefined;
  const sorted = value === undefined ? rows : rows.toSorted(compareBy(value, order?.startsWith('-') ?? false));
  return sorted.slice((page - 1) * size, page * size);
}

const settled = { isFetching: false, error: null, refetch: () => {} };

/**
 * Returns the list's page of rows that are all loaded as the query of a table.
 * @param query query that loads the rows, if the table itself shows its progress and its error
 */
export function localQuery<Row>(
  rows: readonly Row[] | undefined,
  list: ListView,
  values: SortValues<Row>,
  { isFetching, error, refetch }: Omit<ListQuery<Row>, 'data'> = settled,
): ListQuery<Row> {
  const data = rows && { data: localPage(rows, list, values), total_count: rows.length };
  return { data, isFetching, error, refetch };
}

function compareBy<Row>(value: (row: Row) => string | number | null, descending: boolean) {
  return (first: Row, second: Row) => {
    const [a, b] = [value(first), value(second)];
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    const difference =
      typeof a === 'number' && typeof b === 'number' ? a - b : compareText(toSortText(a), toSortText(b));
    return descending ? -difference : difference;
  };
}

/** Maximum characters of a text that are compared. */
const COMPARED_MAX = 200;
const { compare: compareText } = new Intl.Collator(undefined, { numeric: true });

/** Returns the beginning of a text: comparing takes time by the square of its combining marks. */
const toSortText = (value: string | number): string => String(value).slice(0, COMPARED_MAX);
