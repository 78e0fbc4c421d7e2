import { POINTS_PER_USD } from '@switchyard/contract/money';
import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../../ui/filters/search-params.ts';
import { UNKNOWN } from '../../../ui/format/format.ts';
import { useFormat } from '../../../ui/format/use-format.ts';
import { oneOf } from '../../../ui/table/list-state.ts';
import { useYuanPerUsd } from '../../site/site/queries.ts';

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
