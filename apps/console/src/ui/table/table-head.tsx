import Checkbox from '@mui/material/Checkbox';
import TableSortLabel from '@mui/material/TableSortLabel';
import type { RowData } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { DataTableModel } from './use-data-table.ts';

/** Style of text that only screen readers present. */
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

export function TableHead<Row extends RowData>({ table, selectable, actions }: TableHeadProps<Row>) {
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
