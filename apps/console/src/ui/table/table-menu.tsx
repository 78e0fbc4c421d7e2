import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { lazy, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../actions/menu-button.tsx';
import { notify } from '../feedback/notices.ts';
import { useNotifyError } from '../feedback/use-notify-error.ts';
import { WhenOpened } from '../layout/when-opened.tsx';
import { collectRows, type FetchPage, saveFile, toCsv } from './csv.ts';
import type { ListView } from './list-state.ts';
import type { Density } from './preferences.ts';
import type { DataTableModel } from './use-data-table.ts';

const TableViews = lazy(() => import('./table-views.tsx').then((module) => ({ default: module.TableViews })));

interface TableMenuProps<Row extends RowData> {
  name: string;
  table: DataTableModel<Row>;
  list: ListView;
  density: Density;
  onDensity: (density: Density) => void;
  fetchPage?: FetchPage<Row>;
}

/** Menu of a table: columns, row height, saved views and CSV export. */
export function TableMenu<Row extends RowData>({
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
        <WhenOpened open={viewsOpen}>
          <TableViews name={name} list={inAddress} open={viewsOpen} onClose={() => setViewsOpen(false)} />
        </WhenOpened>
      )}
    </>
  );
}

/** The visible columns of all matching rows; the values behind the cells, not their looks. */
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
