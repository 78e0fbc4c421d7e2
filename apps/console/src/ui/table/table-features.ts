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
  /** The heading as text, for the column chooser, the cards and the CSV file. */
  label: string;
  align?: 'end';
  /** Position on a phone's card; columns without one are not on the card. */
  card?: 'title' | 'state' | 'figure';
  /** Hidden until chosen. */
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

/** Makes the columns of a list. A column's id is the server's sort column where `enableSorting` is true. */
export function columnsFor<Row extends RowData>() {
  return createColumnHelper<Features, Row>();
}

export interface DataTableProps<Row extends RowData> {
  /** Names the stored preferences and the exported file. */
  name: string;
  /** Description of the listed records for screen readers. */
  label: string;
  columns: Columns<Row>;
  list: ListView;
  rows: Row[] | undefined;
  /** Rows that match on all pages. */
  total: number | undefined;
  rowId: (row: Row) => string;
  fetching: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** Opens the row's detail drawer or page. */
  onOpen?: (row: Row) => void;
  /** The last, sticky column: one menu or one or two buttons. */
  renderActions?: (row: Row) => ReactNode;
  /** Makes rows selectable; the buttons of the bar that appears. */
  renderBulkActions?: (rows: Row[], done: () => void) => ReactNode;
  /** The filter bar; replaced by the bulk bar while rows are selected. */
  filterBar?: ReactNode;
  /** Sums for the active filter. */
  totals?: ReactNode;
  /** Shown when there is nothing at all; one sentence and one button. */
  empty: ReactNode;
  /** Shown when the filters leave nothing. */
  emptyFiltered?: ReactNode;
  /** Reads any page with the active filters; adds "Export CSV". */
  fetchPage?: FetchPage<Row>;
}
