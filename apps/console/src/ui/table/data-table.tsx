import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Checkbox from '@mui/material/Checkbox';
import IconButton from '@mui/material/IconButton';
import LinearProgress from '@mui/material/LinearProgress';
import Paper from '@mui/material/Paper';
import Skeleton from '@mui/material/Skeleton';
import type { Theme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { IconAdjustmentsHorizontal, IconX } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { lazy, type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../actions/menu-button.tsx';
import { ErrorPanel } from '../feedback/error-panel-and-link-alert.tsx';
import { notify } from '../feedback/toasts.ts';
import { useNotifyError } from '../feedback/use-error-text.ts';
import { LazyOverlay } from '../layout/lazy-overlay.tsx';
import { collectRows, type FetchPage, saveFile, toCsv } from './csv-export.ts';
import { type Density, useDensity } from './preferences.ts';
import type { DataTableProps, TableBodyProps } from './table-columns-and-props.ts';
import { TableFooter } from './table-footer.tsx';
import { TableGrid } from './table-grid.tsx';
import type { ListView } from './url-list-state.ts';
import { type DataTableModel, useDataTable } from './use-data-table.ts';

/**
 * Renders every table of the console. The caller provides rows, order, page and filters; the table keeps
 * columns, density and selection.
 */
export function DataTable<Row extends RowData>({ query, ...given }: DataTableProps<Row>) {
  const { list, fetching = query.isFetching, filterBar, renderBulkActions } = given;
  const { error } = query;
  // Deferred, so that new rows render without blocking input; the total changes together with them.
  const rows = useDeferredValue(query.data?.data);
  const total = useDeferredValue(query.data?.total_count);
  const props = { ...given, rows, error };
  const phone = useMediaQuery((theme: Theme) => theme.breakpoints.down('md'));
  const [density, setDensity] = useDensity();
  const drawnDensity = useDeferredValue(density);
  const table = useDataTable(props);
  const chosen = table.getSelectedRowModel();
  // Deferred like the checkboxes of the rows, so that the click is painted first.
  const selected = useDeferredValue(useMemo(() => chosen.rows.map((row) => row.original), [chosen]));
  const clearSelection = () => table.resetRowSelection(true);
  const menu = <TableMenu {...props} table={table} density={density} onDensity={setDensity} />;

  return (
    <Paper variant="outlined" sx={{ borderRadius: 1.5, overflow: 'hidden', display: 'flex', flexDirection: 'column' }}>
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
          <ErrorPanel error={error} onRetry={() => void query.refetch()} />
        </Box>
      )}
      {phone ? <TableCards {...props} table={table} /> : <TableGrid {...props} table={table} density={drawnDensity} />}
      {rows?.length === 0 && (list.narrowed && props.emptyFiltered !== undefined ? props.emptyFiltered : props.empty)}
      <TableFooter list={list} total={total} totals={props.totals} />
    </Paper>
  );
}

/** Replaces the filter bar while rows are selected. */
function BulkBar({ count, onClear, children }: { count: number; onClear: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <Box
      role="toolbar"
      aria-label={t('table.bulk')}
      sx={{
        display: 'flex',
        alignItems: 'center',
        flexWrap: 'wrap',
        gap: 1,
        minHeight: 52,
        px: 1.5,
        py: 1,
        bgcolor: 'primary.soft',
      }}
    >
      <IconButton size="small" onClick={onClear} aria-label={t('table.clearSelection')}>
        <IconX size={18} />
      </IconButton>
      <Box component="span" aria-live="polite" sx={{ color: 'primary.onSoft', fontWeight: 500, mr: 1 }}>
        {t('table.selected', { count })}
      </Box>
      {children}
    </Box>
  );
}

const TableViews = lazy(() => import('./saved-table-views.tsx').then((module) => ({ default: module.TableViews })));

interface TableMenuProps<Row extends RowData> {
  name: string;
  table: DataTableModel<Row>;
  list: ListView;
  density: Density;
  onDensity: (density: Density) => void;
  fetchPage?: FetchPage<Row>;
}

/** Renders the table's menu: columns, row height, saved views and CSV export. */
function TableMenu<Row extends RowData>({
  name,
  table,
  list: { inAddress },
  density,
  onDensity,
  fetchPage,
}: TableMenuProps<Row>) {
  const { t } = useTranslation();
  const exportCsv = useCsvExport(name, table);
  const columns = table.getAllLeafColumns().slice(1);
  const [viewsOpen, setViewsOpen] = useState(false);
  return (
    <>
      <MenuButton
        label={t('table.view')}
        icon={<IconAdjustmentsHorizontal size={18} />}
        size="small"
        entries={[
          { heading: t('table.columns') },
          ...columns.map((column) => ({
            label: column.columnDef.meta?.label ?? column.id,
            checked: column.getIsVisible(),
            onSelect: () => column.toggleVisibility(),
          })),
          {
            label: t('table.comfortable'),
            apart: true,
            checked: density === 'comfortable',
            onSelect: () => onDensity(density === 'dense' ? 'comfortable' : 'dense'),
          },
          ...(inAddress === undefined
            ? []
            : [{ label: t('table.views'), apart: true, onSelect: () => setViewsOpen(true) }]),
          ...(fetchPage === undefined
            ? []
            : [{ label: t('table.exportCsv'), onSelect: () => void exportCsv(fetchPage) }]),
        ]}
      />
      {inAddress !== undefined && (
        <LazyOverlay open={viewsOpen}>
          <TableViews name={name} list={inAddress} open={viewsOpen} onClose={() => setViewsOpen(false)} />
        </LazyOverlay>
      )}
    </>
  );
}

/** Returns an export of all matching rows with the raw values of the visible columns. */
function useCsvExport<Row extends RowData>(name: string, table: DataTableModel<Row>) {
  const { t } = useTranslation();
  const notifyError = useNotifyError();
  return async (fetchPage: FetchPage<Row>) => {
    try {
      const { rows, complete } = await collectRows(fetchPage);
      const columns = table.getVisibleLeafColumns().filter((column) => column.accessorFn !== undefined);
      const heading = columns.map((column) => column.columnDef.meta?.label ?? column.id);
      const lines = rows.map((row, index) => columns.map((column) => column.accessorFn?.(row, index)));
      saveFile(`${name}.csv`, toCsv([heading, ...lines]));
      if (!complete) notify('warning', t('table.exportCut', { count: rows.length }));
    } catch (error) {
      notifyError(error);
    }
  };
}

/** Renders the list on a phone as cards with title, state, figures and the row's menu. */
function TableCards<Row extends RowData>(props: TableBodyProps<Row> & { table: DataTableModel<Row> }) {
  const { table, label, rows, onOpen, renderActions, renderBulkActions, error } = props;
  const { t } = useTranslation();
  if (rows === undefined) return error == null ? <CardSkeletons /> : null;
  return (
    <Box component="ul" aria-label={label} sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {table.getRowModel().rows.map((row) => {
        const part = (place: 'title' | 'state' | 'figure') =>
          row.getAllCells().filter((cell) => cell.column.columnDef.meta?.card === place);
        const title = part('title').map((cell) => <table.FlexRender key={cell.id} cell={cell} />);
        return (
          <Box component="li" key={row.id} sx={{ p: 1.5, borderBottom: 1, borderColor: 'divider' }}>
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 40 }}>
              {renderBulkActions !== undefined && (
                <Checkbox
                  checked={row.getIsSelected()}
                  onChange={row.getToggleSelectedHandler()}
                  slotProps={{ input: { 'aria-label': t('table.selectRow') } }}
                />
              )}
              {onOpen === undefined ? (
                <Box sx={{ flexGrow: 1, minWidth: 0, fontWeight: 500 }}>{title}</Box>
              ) : (
                <ButtonBase
                  component="div"
                  onClick={() => onOpen(row.original)}
                  sx={{
                    flexGrow: 1,
                    minWidth: 0,
                    justifyContent: 'flex-start',
                    minHeight: 40,
                    fontWeight: 500,
                    fontSize: '0.875rem',
                    textAlign: 'start',
                  }}
                >
                  {title}
                </ButtonBase>
              )}
              {part('state').map((cell) => (
                <table.FlexRender key={cell.id} cell={cell} />
              ))}
              {renderActions?.(row.original)}
            </Box>
            <Box component="dl" sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1.5, m: 0, mt: 0.5 }}>
              {part('figure').map((cell) => (
                <Box key={cell.id} sx={{ minWidth: 0 }}>
                  <Typography component="dt" variant="caption" sx={{ color: 'text.secondary' }}>
                    {cell.column.columnDef.meta?.label}
                  </Typography>
                  <Typography component="dd" variant="body2" sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}>
                    <table.FlexRender cell={cell} />
                  </Typography>
                </Box>
              ))}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
}

function CardSkeletons() {
  return (
    <Box sx={{ p: 1.5, display: 'grid', gap: 1.5 }} aria-busy>
      {[0, 1, 2, 3].map((index) => (
        <Skeleton key={index} variant="rounded" height={88} />
      ))}
    </Box>
  );
}
