import { functionalUpdate, type RowData, type SortingState, useTable } from '@tanstack/react-table';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useTablePreferences } from './preferences.ts';
import { type Columns, features } from './table-columns-and-props.ts';
import type { ListView } from './url-list-state.ts';

const noRows: never[] = [];

interface TableInput<Row extends RowData> {
  name: string;
  columns: Columns<Row>;
  rows: Row[] | undefined;
  rowId: (row: Row) => string;
  list: ListView;
}

/** Returns the table model, with the order from the list state and columns from the user's preferences. */
export function useDataTable<Row extends RowData>({ name, columns, rows, rowId, list }: TableInput<Row>) {
  const [preferences, setPreferences] = useTablePreferences(name);
  const sorting = useMemo(() => parseOrder(list.order), [list.order]);
  // Deferred, because showing or hiding a column renders every row again.
  const hidden = useDeferredValue(preferences.hidden);
  const columnVisibility = useMemo(() => visibility(columns, hidden), [columns, hidden]);
  const [columnSizing, setColumnSizing] = useState(preferences.widths);
  const table = useTable({
    features,
    columns,
    data: rows ?? noRows,
    getRowId: rowId,
    defaultColumn: { size: 140, minSize: 64, maxSize: 640, enableSorting: false },
    columnResizeMode: 'onChange',
    manualSorting: true,
    enableMultiSort: false,
    // Without an explicit order there is none to remove; the default sort column only reverses.
    enableSortingRemoval: list.ordered,
    sortDescFirst: false,
    state: { sorting, columnVisibility, columnSizing },
    onSortingChange: (updater) => list.setOrder(formatOrder(functionalUpdate(updater, sorting))),
    onColumnVisibilityChange: (updater) => {
      const shown = functionalUpdate(updater, visibility(columns, preferences.hidden));
      const next = Object.fromEntries(Object.entries(shown).map(([id, visible]) => [id, !visible]));
      setPreferences({ ...preferences, hidden: next });
    },
    onColumnSizingChange: (updater) => setColumnSizing(functionalUpdate(updater, columnSizing)),
  });

  const resizing = table.state.columnResizing.isResizingColumn !== false;
  useEffect(() => {
    if (!resizing && columnSizing !== preferences.widths) setPreferences({ ...preferences, widths: columnSizing });
  }, [resizing, columnSizing, preferences, setPreferences]);

  return table;
}

function visibility<Row extends RowData>(columns: Columns<Row>, hidden: Record<string, boolean>) {
  return Object.fromEntries(
    columns.map((column) => {
      const id = columnId(column);
      return [id, !(hidden[id] ?? column.meta?.hidden ?? false)];
    }),
  );
}

function columnId<Row extends RowData>(column: Columns<Row>[number]): string {
  if (column.id !== undefined) return column.id;
  return 'accessorKey' in column ? String(column.accessorKey) : '';
}

function parseOrder(order: string | undefined): SortingState {
  if (order === undefined || order === '') return [];
  return order.split(',').map((part) => ({ id: part.replace(/^-/, ''), desc: part.startsWith('-') }));
}

function formatOrder(sorting: SortingState): string | undefined {
  return sorting.length === 0 ? undefined : sorting.map(({ id, desc }) => (desc ? `-${id}` : id)).join(',');
}

export type DataTableModel<Row extends RowData> = ReturnType<typeof useDataTable<Row>>;
