import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import { useTranslation } from 'react-i18next';
import { UNKNOWN } from '../../ui/format.ts';
import { useFormat } from '../../ui/use-format.ts';
import { basisOf, type Counter, listPrice, type ModelRow, paidPrice } from './model-row.ts';

/** What the group pays; the list price beside it where they differ. */
export function PriceCell({ row, counter }: { row: ModelRow; counter: Counter }) {
  const { t } = useTranslation('models');
  const format = useFormat();
  const paid = paidPrice(row, counter);
  const listed = listPrice(row.price, counter);
  if (row.price === null || paid === null || listed === null) return UNKNOWN;
  const words = basisWords[basisOf(row.price)];
  return (
    <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {paid !== listed && (
        <Tooltip title={t('listPrice')}>
          <Box component="s" sx={{ color: 'text.secondary', fontSize: '0.75rem', mr: 0.75 }}>
            {format.usd(listed)}
          </Box>
        </Tooltip>
      )}
      {words === undefined ? format.usd(paid) : t(words, { price: format.usd(paid) })}
    </Box>
  );
}

const basisWords = {
  token: undefined,
  call: 'perCall',
  second: 'perMinute',
  character: 'perMillionCharacters',
  image: 'fromImage',
} as const;
