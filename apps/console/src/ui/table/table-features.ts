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
