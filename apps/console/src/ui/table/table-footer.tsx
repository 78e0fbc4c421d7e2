import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import Pagination from '@mui/material/Pagination';
import Select from '@mui/material/Select';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../format/use-format.ts';
import { type ListView, pageSizes } from './url-list-state.ts';

interface TableFooterProps {
  list: ListView;
  total: number | undefined;
  totals?: ReactNode;
}

/** Shows the range and number of rows, the sums and the page buttons. */
export function TableFooter({ list, total, totals }: TableFooterProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const phone = useMediaQuery((theme: Theme) => theme.breakpoints.down('sm'));
  if (total === undefined || total === 0) return null;
  const from = (list.page - 1) * list.size + 1;
  const to = Math.min(total, list.page * list.size);
  const pages = Math.ceil(total / list.size);
  const sizes = [...new Set([...pageSizes, list.size])].toSorted((a, b) => a - b);
  return (
    <Box
      sx={{
        display: 'flex',
        flexWrap: 'wrap',
        alignItems: 'center',
        gap: 1,
        minHeight: 44,
        px: 1.5,
        borderTop: 1,
        borderColor: 'divider',
        fontSize: '0.8125rem',
        color: 'text.secondary',
        fontVariantNumeric: 'tabular-nums',
      }}
    >
      <span>{t('table.range', { from: format.number(from), to: format.number(to), total: format.number(total) })}</span>
      {totals !== undefined && <Box sx={{ display: 'flex', gap: 2, color: 'text.primary' }}>{totals}</Box>}
      <Box sx={{ flexGrow: 1 }} />
      {pages > 1 && (
        <Pagination
          size="small"
          shape="rounded"
          count={pages}
          page={Math.min(list.page, pages)}
          siblingCount={phone ? 0 : 1}
          onChange={(_, page) => list.setPage(page)}
        />
      )}
      <Select
        size="small"
        value={list.size}
        onChange={(event) => list.setSize(event.target.value)}
        inputProps={{ 'aria-label': t('table.pageSize') }}
        sx={{ fontSize: '0.8125rem', '& .MuiSelect-select': { py: '3px' } }}
      >
        {sizes.map((size) => (
          <MenuItem key={size} value={size}>
            {size}
          </MenuItem>
        ))}
      </Select>
    </Box>
  );
}
