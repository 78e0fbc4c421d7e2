import Checkbox from '@mui/material/Checkbox';
import Divider from '@mui/material/Divider';
import ListSubheader from '@mui/material/ListSubheader';
import MenuItem from '@mui/material/MenuItem';
import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import type { RowData } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import { MenuButton } from '../menu-button.tsx';
import { notify } from '../notices.ts';
import { useNotifyError } from '../use-notify-error.ts';
import { collectRows, type FetchPage, saveFile, toCsv } from './csv.ts';
import type { Density } from './preferences.ts';
import type { DataTableModel } from './use-data-table.ts';

interface TableMenuProps<Row extends RowData> {
  name: string;
  table: DataTableModel<Row>;
  density: Density;
  onDensity: (density: Density) => void;
  fetchPage?: FetchPage<Row>;
}

/** Which columns, how high the rows, and the way out as CSV. */
export function TableMenu<Row extends RowData>({
  name,
  table,
  density,
  onDensity,
  fetchPage,
}: TableMenuProps<Row>) {
  const { t } = useTranslation();
  const exportCsv = useCsvExport(name, table);
  return (
    <MenuButton label={t('table.view')} icon={<IconAdjustmentsHorizontal size={18} />} size="small">
      {(close) => [
        <ListSubheader key="columns" sx={{ bgcolor: 'transparent', lineHeight: '28px', fontSize: '0.75rem' }}>
          {t('table.columns')}
        </ListSubheader>,
        ...table
          .getAllLeafColumns()
          .slice(1)
          .map((column) => (
            <MenuItem
              key={column.id}
              onClick={() => column.toggleVisibility()}
              role="menuitemcheckbox"
              aria-checked={column.getIsVisible()}
            >
              <Checkbox checked={column.getIsVisible()} tabIndex={-1} disableRipple sx={{ py: 0, pl: 0 }} />
              {column.columnDef.meta?.label ?? column.id}
            </MenuItem>
          )),
        <Divider key="line" />,
        <MenuItem
          key="density"
          role="menuitemcheckbox"
          aria-checked={density === 'comfortable'}
          onClick={() => onDensity(density === 'dense' ? 'comfortable' : 'dense')}
        >
          <Checkbox checked={density === 'comfortable'} tabIndex={-1} disableRipple sx={{ py: 0, pl: 0 }} />
          {t('table.comfortable')}
        </MenuItem>,
        fetchPage !== undefined && (
          <MenuItem
            key="csv"
            onClick={() => {
              close();
              void exportCsv(fetchPage);
            }}
          >
            {t('table.exportCsv')}
          </MenuItem>
        ),
      ]}
    </MenuButton>
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
