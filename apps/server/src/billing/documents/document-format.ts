/** Figures and moments as documents show them. */

import type { Language } from '@switchyard/contract/accounts/account';
import type { Currency } from '@switchyard/contract/billing/top-up-cost';

export interface DocumentFormat {
  number(value: number): string;
  /** Formats an amount with the currency's code and, for fractions of a coin, up to six decimals. */
  money(value: number, currency: Currency): string;
  percent(value: number): string;
  /** UTC seconds. */
  day(time: number): string;
  moment(time: number): string;
  month(time: number): string;
}

/** Narrow and thin spaces, which the font lacks. */
const rareSpaces = /[\u2000-\u200a\u202f\u205f]/g;

export function documentFormat(language: Language): DocumentFormat {
  const locale = language.replace('_', '-');
  const plain = new Intl.NumberFormat(locale);
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return (time: number): string => format.format(time * 1000).replace(rareSpaces, ' ');
  };
  return {
    number: (value) => plain.format(value),
    money: (value, currency) =>
      new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay: 'code',
        maximumFractionDigits: 6,
      })
        .format(value)
        .replace(rareSpaces, ' '),
    percent: (value) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 }).format(value / 100),
    day: date({ dateStyle: 'long' }),
    moment: date({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
    month: date({ year: 'numeric', month: 'long' }),
  };
}
