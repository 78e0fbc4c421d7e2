import {
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  type RowData,
  rowSelectionFeature,
  rowSortingFeature,
  type TableOptions,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { FetchPage } from './csv.ts';
import type { ListView } from './list-state.ts';

export interface ColumnMeta {
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
/** Result of `columnsFor().columns([…])`. */
export type Columns<Row extends RowData> = TableOptions<Features, Row>['columns'];

/** Returns a helper that creates columns. The ids of sortable ones are the server's sort columns. */
export function columnsFor<Row extends RowData>() {
  return createColumnHelper<Features, Row>();
}

export interface DataTableProps<Row extends RowData> {
  /** Name of the stored preferences and the exported file. */
  name: string;
  /** Accessible name of the table. */
  label: string;
  columns: Columns<Row>;
  list: ListView;
  rows: Row[] | undefined;
  /** Number of matching rows on all pages. */
  total: number | undefined;
  rowId: (row: Row) => string;
  fetching: boolean;
  error?: unknown;
  onRetry?: () => void;
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
