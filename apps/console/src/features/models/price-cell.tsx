import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../../ui/format.ts';
import { useFormat } from '../../ui/use-format.ts';
import { type Counter, listPrice, type ModelRow, paidPrice } from './model-row.ts';

/** What the group pays; the list price beside it where they differ. */
export function PriceCell({ row, counter }: { row: ModelRow; counter: Counter }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const paid = paidPrice(row, counter);
  const listed = listPrice(row.price, counter);
  if (paid === null || listed === null) return UNKNOWN;
  const perCall = row.price?.type === 'times';
  return (
    <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {paid !== listed && (
        <Tooltip title={t('listPrice')}>
          <Box component="s" sx={{ color: 'text.secondary', fontSize: '0.75rem', mr: 0.75 }}>
            {format.usd(listed)}
          </Box>
        </Tooltip>
      )}
      {perCall ? t('perCall', { price: format.usd(paid) }) : format.usd(paid)}
    </Box>
  );
}
