import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { useMemo } from 'react';
import { useLanguage } from '../../i18n/use-language.ts';
import * as format from './format.ts';

/** Returns the functions of format.ts for the current language. */
export function useFormat() {
  const language = useLanguage();
  return useMemo(
    () => ({
      number: (value: number | null | undefined, digits?: number) => format.formatNumber(language, value, digits),
      compact: (value: number | null | undefined) => format.formatCompact(language, value),
      usd: (value: number | null | undefined) => format.formatUsd(language, value),
      exactUsd: (value: number | null | undefined) => format.formatExactUsd(language, value),
      money: (amount: number | null | undefined, currency: Currency) => format.formatMoney(language, amount, currency),
      rate: (amount: number | null | undefined, currency: Currency) => format.formatRate(language, amount, currency),
      points: (value: number | null | undefined) => format.formatPoints(language, value),
      duration: (milliseconds: number | null | undefined) => format.formatDuration(language, milliseconds),
      bytes: (value: number | null | undefined) => format.formatBytes(language, value),
      percent: (share: number | null | undefined, digits?: number) => format.formatPercent(language, share, digits),
      percentChange: (change: number) => format.formatPercentChange(language, change),
      discount: (factor: number) => format.formatDiscount(language, factor),
      relative: (seconds: number) => format.formatRelative(language, seconds),
      moment: (seconds: number) => format.formatMoment(language, seconds),
      day: (seconds: number) => format.formatDay(language, seconds),
      date: (date: string) => format.formatDate(language, date),
      shortMoment: (seconds: number) => format.formatShortMoment(language, seconds),
    }),
    [language],
  );
}
