import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import Checkbox from '@mui/material/Checkbox';
import Skeleton from '@mui/material/Skeleton';
import Typography from '@mui/material/Typography';
import type { RowData } from '@tanstack/react-table';
import { useTranslation } from 'react-i18next';
import type { DataTableProps } from './data-table-props.ts';
import type { DataTableModel } from './use-data-table.ts';

type CardsProps<Row extends RowData> = Pick<
  DataTableProps<Row>,
  'label' | 'rows' | 'onOpen' | 'renderActions' | 'renderBulkActions' | 'error'
> & {
  table: DataTableModel<Row>;
};

/** The list on a phone: title, state, figures and the row's menu. */
export function TableCards<Row extends RowData>({
  table,
  label,
  rows,
  onOpen,
  renderActions,
  renderBulkActions,
  error,
}: CardsProps<Row>) {
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
            <Box
              component="dl"
              sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: 1.5, m: 0, mt: 0.5 }}
            >
              {part('figure').map((cell) => (
                <Box key={cell.id} sx={{ minWidth: 0 }}>
                  <Typography component="dt" variant="caption" sx={{ color: 'text.secondary' }}>
                    {cell.column.columnDef.meta?.label}
                  </Typography>
                  <Typography
                    component="dd"
                    variant="body2"
                    sx={{ m: 0, fontVariantNumeric: 'tabular-nums' }}
                  >
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
