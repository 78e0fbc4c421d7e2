import Box from '@mui/material/Box';
import Checkbox from '@mui/material/Checkbox';
import Skeleton from '@mui/material/Skeleton';
import TableSortLabel from '@mui/material/TableSortLabel';
import { FlexRender, type RowData } from '@tanstack/react-table';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useLayoutEffect,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';
import { type Density, rowHeights } from './preferences.ts';
import type { TableBodyProps } from './table-columns-and-props.ts';
import { ACTIONS_WIDTH, gridStyles, SELECT_WIDTH } from './table-styles.ts';
import type { DataTableModel } from './use-data-table.ts';

interface GridProps<Row extends RowData> extends TableBodyProps<Row> {
  table: DataTableModel<Row>;
  density: Density;
}

const SKELETON_ROWS = 12;

/** Renders the list as a table that scrolls inside itself, so that heading and edge columns stay visible. */
export function TableGrid<Row extends RowData>(props: GridProps<Row>) {
  const { table, density, rows, renderActions, renderBulkActions } = props;
  const onOpen = useSteady(props.onOpen);
  // Deferred, so that heading and bulk bar respond at once and the rows follow.
  const chosen = useDeferredValue(table.state.rowSelection);
  const columns = table.getVisibleLeafColumns();
  const selectable = renderBulkActions !== undefined;
  const edges = (selectable ? SELECT_WIDTH : 0) + (renderActions === undefined ? 0 : ACTIONS_WIDTH);
  const width = columns.reduce((sum, column) => sum + column.getSize(), edges);
  const span = columns.length + (selectable ? 1 : 0) + (renderActions === undefined ? 0 : 1);
  return (
    <Box sx={gridStyles(rowHeights[density], selectable)}>
      <table style={{ minWidth: width }} aria-label={props.label} aria-busy={rows === undefined}>
        <colgroup>
          {selectable && <col style={{ width: SELECT_WIDTH }} />}
          {columns.map((column, index) => (
            // The first column takes the remaining width.
            <col key={column.id} {...(index === 0 ? {} : { style: { width: column.getSize() } })} />
          ))}
          {renderActions !== undefined && <col style={{ width: ACTIONS_WIDTH }} />}
        </colgroup>
        <TableHead table={table} selectable={selectable} actions={renderActions !== undefined} />
        <tbody onKeyDown={moveFocus}>
          {rows === undefined && props.error == null && <SkeletonRows span={span} />}
          {table.getRowModel().rows.map((row, index) => (
            <GridRow
              key={row.id}
              row={row}
              cells={row.getVisibleCells()}
              first={index === 0}
              selected={selectable ? chosen[row.id] === true : undefined}
              onOpen={onOpen}
              renderActions={renderActions}
            />
          ))}
        </tbody>
      </table>
    </Box>
  );
}

/** Returns a function with a stable identity, since screens create a new one on each render. */
function useSteady<Row>(given: ((row: Row) => void) | undefined): ((row: Row) => void) | undefined {
  const latest = useRef(given);
  useLayoutEffect(() => {
    latest.current = given;
  });
  const steady = useCallback((row: Row) => latest.current?.(row), []);
  return given === undefined ? undefined : steady;
}

type ModelRow<Row extends RowData> = ReturnType<DataTableModel<Row>['getRowModel']>['rows'][number];

interface GridRowProps<Row extends RowData> {
  row: ModelRow<Row>;
  cells: ReturnType<ModelRow<Row>['getVisibleCells']>;
  first: boolean;
  /** Undefined when rows cannot be selected. */
  selected: boolean | undefined;
  onOpen: ((row: Row) => void) | undefined;
  renderActions: ((row: Row) => ReactNode) | undefined;
}

/** Memoized row. Callers should pass props with a stable identity. */
const GridRow = memo(DrawnRow) as typeof DrawnRow;

function DrawnRow<Row extends RowData>({ row, cells, first, selected, onOpen, renderActions }: GridRowProps<Row>) {
  const { t } = useTranslation();
  const open = onOpen === undefined ? undefined : () => onOpen(row.original);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') open?.();
    else if (event.key === ' ' && selected !== undefined) row.toggleSelected();
    else return;
    event.preventDefault();
  };
  return (
    <tr
      tabIndex={first ? 0 : -1}
      aria-selected={selected}
      data-selected={selected === true}
      data-clickable={open !== undefined}
      onClick={open}
      onKeyDown={onKeyDown}
    >
      {selected !== undefined && (
        <td data-select="" onClick={(event) => event.stopPropagation()}>
          <Checkbox
            checked={selected}
            onChange={row.getToggleSelectedHandler()}
            slotProps={{ input: { 'aria-label': t('table.selectRow') } }}
          />
        </td>
      )}
      <Cells cells={cells} />
      {renderActions !== undefined && <Actions record={row.original} render={renderActions} />}
    </tr>
  );
}

/** Memoized cells, which render neither on selection nor when the screen renders its menus again. */
const Cells = memo(DrawnCells) as typeof DrawnCells;

function DrawnCells<Row extends RowData>({ cells }: Pick<GridRowProps<Row>, 'cells'>) {
  return (
    <>
      {cells.map((cell) => (
        <td key={cell.id} data-align={cell.column.columnDef.meta?.align}>
          <FlexRender cell={cell} />
        </td>
      ))}
    </>
  );
}

const Actions = memo(DrawnActions) as typeof DrawnActions;

function DrawnActions<Row>({ record, render }: { record: Row; render: (row: Row) => ReactNode }) {
  return (
    <td data-actions="" onClick={(event) => event.stopPropagation()}>
      {render(record)}
    </td>
  );
}

function SkeletonRows({ span }: { span: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, index) => (
    // Screen readers must not count a placeholder as a row.
    <tr key={index} aria-hidden>
      <td colSpan={span}>
        <Skeleton width={`${88 - (index % 4) * 9}%`} />
      </td>
    </tr>
  ));
}

/** Moves the focus between rows with arrow keys, Home and End. Tab returns to the last focused row. */
function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>) {
  const current = event.target;
  if (!(current instanceof HTMLTableRowElement)) return;
  const rows = [...event.currentTarget.rows];
  const here = rows.indexOf(current);
  const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = next === undefined ? undefined : rows[next];
  if (row === undefined) return;
  event.preventDefault();
  current.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

const visuallyHidden = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
} as const;

interface TableHeadProps<Row extends RowData> {
  table: DataTableModel<Row>;
  selectable: boolean;
  actions: boolean;
}

function TableHead<Row extends RowData>({ table, selectable, actions }: TableHeadProps<Row>) {
  const { t } = useTranslation();
  const headers = table.getHeaderGroups().at(-1)?.headers ?? [];
  return (
    <thead>
      <tr>
        {selectable && (
          <th data-select="" scope="col">
            <Checkbox
              checked={table.getIsAllRowsSelected()}
              indeterminate={table.getIsSomeRowsSelected() && !table.getIsAllRowsSelected()}
              onChange={table.getToggleAllRowsSelectedHandler()}
              slotProps={{ input: { 'aria-label': t('table.selectAll') } }}
            />
          </th>
        )}
        {headers.map((header, index) => {
          const { column } = header;
          const sorted = column.getIsSorted();
          const resize = header.getResizeHandler();
          const label = <table.FlexRender header={header} />;
          return (
            <th
              key={header.id}
              scope="col"
              data-align={column.columnDef.meta?.align}
              aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
            >
              {column.getCanSort() ? (
                <TableSortLabel
                  active={sorted !== false}
                  direction={sorted === 'desc' ? 'desc' : 'asc'}
                  onClick={column.getToggleSortingHandler()}
                >
                  {label}
                </TableSortLabel>
              ) : (
                label
              )}
              {index > 0 && (
                <span
                  data-resize={column.getIsResizing() ? 'active' : ''}
                  aria-hidden
                  onMouseDown={resize}
                  onTouchStart={resize}
                />
              )}
            </th>
          );
        })}
        {actions && (
          <th data-actions="" scope="col">
            <span style={visuallyHidden}>{t('table.actions')}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
