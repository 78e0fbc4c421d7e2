import Box from '@mui/material/Box';
import Tooltip from '@mui/material/Tooltip';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { useTranslation } from 'react-i18next';
import { StatusChip } from '../../../ui/display/status-and-tag-chips.tsx';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { oneOf } from '../../../ui/table/url-list-state.ts';
import { useHasAccess } from '../../accounts/session/queries.ts';
import { useYuanPerUsd } from '../../site/site/queries.ts';
import { basisOf, type Counter, listPrice, type ModelRow, paidPrice } from './model-rows-and-list-price.ts';

/**
 * Shows the group's price, and the list price if it differs; marks models that only other groups may call.
 */
export function PriceCell({ row, counter }: { row: ModelRow; counter: Counter }) {
  const { t } = useTranslation('models');
  const { price } = usePriceUnit();
  const paid = paidPrice(row, counter);
  const listed = listPrice(row.price, counter);
  if (row.price !== null && row.ratio === undefined && counter === 'input')
    return <StatusChip tone="neutral">{t('otherGroups')}</StatusChip>;
  if (row.price === null || paid === null || listed === null) return UNKNOWN;
  const words = basisWords[basisOf(row.price)];
  return (
    <Box component="span" sx={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {paid !== listed && (
        <Tooltip title={t('listPrice')}>
          <Box component="s" sx={{ color: 'text.secondary', fontSize: '0.75rem', mr: 0.75 }}>
            {price(listed)}
          </Box>
        </Tooltip>
      )}
      {words === undefined || paid === 0 ? price(paid) : t(words, { price: price(paid) })}
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

/** Marks a model without its own price; for administrators as a warning. */
export function DefaultPriceChip() {
  const { t } = useTranslation('models');
  const mayPrice = useHasAccess('prices.write');
  return (
    <StatusChip
      tone={mayPrice ? 'warning' : 'neutral'}
      dot={false}
      hint={t(mayPrice ? 'defaultPriceAdmin' : 'defaultPriceHint')}
    >
      {t('defaultPrice')}
    </StatusChip>
  );
}

export const priceUnits = ['usd', 'cny', 'points'] as const;
type PriceUnit = (typeof priceUnits)[number];

/** Returns the price unit from `?unit=`. Yuan amounts use the site's charge for one dollar of points. */
export function usePriceUnit() {
  const { t } = useTranslation('models');
  const format = useFormat();
  const yuanPerUsd = useYuanPerUsd();
  const [chosen, choose] = useSearchParam('unit');
  const unit: PriceUnit = oneOf(chosen, priceUnits) ?? 'usd';
  const inUnit = (usd: number): string => {
    switch (unit) {
      case 'usd':
        return format.exactUsd(usd);
      case 'cny':
        return format.rate(usd * yuanPerUsd, 'CNY');
      case 'points':
        return format.number(usd * POINTS_PER_USD, 2);
    }
  };
  return {
    unit,
    setUnit: (next: PriceUnit) => choose(next === 'usd' ? undefined : next),
    yuanPerUsd,
    /** @param usd undefined or null when the price is unknown */
    price: (usd: number | null | undefined): string => {
      if (usd === null || usd === undefined) return UNKNOWN;
      return usd === 0 ? t('free') : inUnit(usd);
    },
  };
}
