import type { Page } from '@switchyard/contract/route';
import {
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  metaHelper,
  type RowData,
  rowSelectionFeature,
  rowSortingFeature,
  type TableOptions,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { FetchPage } from './csv-export.ts';
import type { ListView } from './url-list-state.ts';

interface ColumnMeta {
  /** Heading as text for the column chooser, the cards and the CSV file. */
  label: string;
  align?: 'end';
  /** Position on a phone's card; columns without one are not on the card. */
  card?: 'title' | 'state' | 'figure';
  /** True if the column is hidden by default. */
  hidden?: boolean;
}

export const features = tableFeatures({
  columnVisibilityFeature,
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
  rowSelectionFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

export type Features = typeof features;
export type Columns<Row extends RowData> = TableOptions<Features, Row>['columns'];

interface ColumnOptions<Row, Value> extends Omit<ColumnMeta, 'label'> {
  size?: number;
  /** True if the heading sorts the list, by the column's id. */
  sortable?: boolean;
  /** Label outside the table, if the heading alone is not clear there. */
  longLabel?: string;
  /** Renders a cell; by default, a cell shows the value as text. */
  cell?: (value: Value, row: Row) => ReactNode;
}

/** Returns functions that create columns. The ids of sortable ones are the server's sort columns. */
export function columnsFor<Row extends RowData>() {
  type Column = Columns<Row>[number];

  /** Creates a column of a value that `valueOf` computes. */
  const computed = <Value>(
    id: string,
    heading: string,
    valueOf: (row: Row) => Value,
    { size, sortable = false, longLabel = heading, cell, ...meta }: ColumnOptions<Row, Value> = {},
  ): Column => ({
    id,
    header: heading,
    accessorFn: (row) => valueOf(row),
    enableSorting: sortable,
    ...(size !== undefined && { size }),
    ...(cell !== undefined && { cell: ({ row: { original } }) => cell(valueOf(original), original) }),
    meta: { label: longLabel, ...meta },
  });

  return {
    computed,
    /** Creates a column of a row's field. */
    field: <Key extends keyof Row & string>(key: Key, heading: string, options?: ColumnOptions<Row, Row[Key]>) =>
      computed(key, heading, (row) => row[key], options),
  };
}

/** Page of a list as TanStack Query returns it. */
export interface ListQuery<Row> {
  /** Undefined until the first page is loaded; `total_count` counts the matching rows on all pages. */
  data: Pick<Page<Row>, 'data' | 'total_count'> | undefined;
  isFetching: boolean;
  error: unknown;
  refetch: () => unknown;
}

export interface DataTableProps<Row extends RowData> {
  /** Name of the stored preferences and the exported file. */
  name: string;
  /** Accessible name of the table. */
  label: string;
  columns: Columns<Row>;
  list: ListView;
  query: ListQuery<Row>;
  /** True while the table shows progress; by default, while the query fetches. */
  fetching?: boolean;
  rowId: (row: Row) => string;
  /** Callback that opens the row's drawer or page. */
  onOpen?: (row: Row) => void;
  /** Renders the last, sticky column: one menu, or one or two buttons. */
  renderActions?: (row: Row) => ReactNode;
  /** Renders the buttons of the bulk bar; its presence makes rows selectable. */
  renderBulkActions?: (rows: Row[], done: () => void) => ReactNode;
  /** Filter bar, which the bulk bar replaces while rows are selected. */
  filterBar?: ReactNode;
  /** Sums of all matching rows. */
  totals?: ReactNode;
  /** Content of an empty list: one sentence and one button. */
  empty: ReactNode;
  /** Content when no row matches the filters. */
  emptyFiltered?: ReactNode;
  /** Fetches any page with the active filters; its presence adds "Export CSV". */
  fetchPage?: FetchPage<Row>;
}

/** Props that the table passes to its forms on wide and narrow screens. */
export interface TableBodyProps<Row extends RowData>
  extends Pick<DataTableProps<Row>, 'label' | 'onOpen' | 'renderActions' | 'renderBulkActions'> {
  rows: Row[] | undefined;
  error: unknown;
}
