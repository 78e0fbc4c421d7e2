import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { RowData } from '@tanstack/react-table';
import { useDeferredValue, useMemo } from 'react';
import { ErrorPanel } from '../feedback/error-panel.tsx';
import { BulkBar } from './bulk-bar.tsx';
import type { DataTableProps } from './data-table-props.ts';
import { useDensity } from './preferences.ts';
import { TableCards } from './table-cards.tsx';
import { TableFooter } from './table-footer.tsx';
import { TableGrid } from './table-grid.tsx';
import { TableMenu } from './table-menu.tsx';
import { useDataTable } from './use-data-table.ts';

/** The one table of the console. Rows, order, page and filters come from outside; what it shows of them is its own. */
export function DataTable<Row extends RowData>(given: DataTableProps<Row>) {
  // New rows are drawn in pieces, between which the screen answers whoever types or clicks. Their number comes with them.
  const props = { ...given, rows: useDeferredValue(given.rows), total: useDeferredValue(given.total) };
  const { list, rows, fetching, error, filterBar, renderBulkActions } = props;
  const phone = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  const [density, setDensity] = useDensity();
  const drawnDensity = useDeferredValue(density);
  const table = useDataTable(props);
  const chosen = table.getSelectedRowModel();
  // As the marks in the rows, what can be done with them comes after the picture that answers the press.
  const selected = useDeferredValue(useMemo(() => chosen.rows.map((row) => row.original), [chosen]));
  const clearSelection = () => table.resetRowSelection(true);
  const menu = <TableMenu {...props} table={table} density={density} onDensity={setDensity} />;

  return (
    <Paper
      variant="outlined"
      sx={{ borderRadius: 1.5, overflow: 'hidden', display: 'flex', flexDirection: 'column' }}
    >
      {renderBulkActions !== undefined && selected.length > 0 ? (
        <BulkBar count={selected.length} onClear={clearSelection}>
          {renderBulkActions(selected, clearSelection)}
        </BulkBar>
      ) : (
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 52, px: 1.5, py: 1 }}>
          <Box sx={{ flexGrow: 1, minWidth: 0 }}>{filterBar}</Box>
          {menu}
        </Box>
      )}
      <Box sx={{ height: 2, borderBottom: fetching ? 0 : 1, borderColor: 'divider' }}>
        {fetching && rows !== undefined && <LinearProgress sx={{ height: 2 }} />}
      </Box>
      {error !== undefined && error !== null && (
        <Box sx={{ p: 1.5 }}>
          <ErrorPanel error={error} {...(props.onRetry === undefined ? {} : { onRetry: props.onRetry })} />
        </Box>
      )}
      {phone ? (
        <TableCards {...props} table={table} />
      ) : (
        <TableGrid {...props} table={table} density={drawnDensity} />
      )}
      {rows?.length === 0 &&
        (list.narrowed && props.emptyFiltered !== undefined ? props.emptyFiltered : props.empty)}
      <TableFooter list={list} total={props.total} totals={props.totals} />
    </Paper>
  );
}
