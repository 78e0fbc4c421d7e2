import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { type Language, languageTags } from '../../i18n/languages.ts';

/** Placeholder for an unknown value. Zero is a known value and is shown as 0. */
export const UNKNOWN = '–';

type Maybe<T> = T | null | undefined;

/**
 * Cache of formatters: a table has hundreds of numbers in a few formats, and creating a formatter is slow.
 */
const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `${language} ${JSON.stringify(options)}`;
  const known = numberFormats.get(name) ?? new Intl.NumberFormat(languageTags[language], options);
  numberFormats.set(name, known);
  return known;
}

export function formatNumber(language: Language, value: Maybe<number>, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN;
  return numberFormat(language, { maximumFractionDigits: digits }).format(value);
}

/** Formats 12,345 as 12.3K, for axes and figures whose exact number is in a tooltip. */
export function formatCompact(language: Language, value: Maybe<number>): string {
  if (value === null || value === undefined) return UNKNOWN;
  return numberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/**
 * Formats USD with the precision that the amount needs: $1,204.31, $0.42, $0.0042, $0.000002. Six decimals
 * are exact, because one point is $0.000002.
 */
export function formatUsd(language: Language, usd: Maybe<number>): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return UNKNOWN;
  const size = Math.abs(usd);
  const decimals = size === 0 || size >= 1 ? 2 : Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(size))));
  return size === 0 ? dollars(language, 0, 0, 0) : dollars(language, usd, 2, decimals);
}

/** Formats every digit of a rate, such as $0.125 per million tokens; no price has more than nine decimals. */
export function formatExactUsd(language: Language, usd: Maybe<number>): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return UNKNOWN;
  return dollars(language, usd, usd === 0 ? 0 : 2, 9);
}

/** Formats a rate in any currency with up to six significant digits. */
export function formatRate(language: Language, amount: Maybe<number>, currency: Currency): string {
  if (amount === null || amount === undefined || !Number.isFinite(amount)) return UNKNOWN;
  return numberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    maximumSignificantDigits: 6,
  }).format(amount);
}

function dollars(language: Language, usd: number, leastDecimals: number, mostDecimals: number): string {
  return numberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: leastDecimals,
    maximumFractionDigits: mostDecimals,
  }).format(usd);
}

export function formatPoints(language: Language, points: Maybe<number>): string {
  return formatUsd(language, points === null || points === undefined ? undefined : points / POINTS_PER_USD);
}

/** Formats an amount to pay with an unambiguous currency symbol. */
export function formatMoney(language: Language, amount: Maybe<number>, currency: Currency): string {
  if (amount === null || amount === undefined || !Number.isFinite(amount)) return UNKNOWN;
  return numberFormat(language, { style: 'currency', currency }).format(amount);
}

/** Formats a duration: 640 ms, 2.4 s, 1 min 5 s, 3 hr 20 min, 2 days. */
export function formatDuration(language: Language, milliseconds: Maybe<number>): string {
  if (milliseconds === null || milliseconds === undefined) return UNKNOWN;
  const unit = (value: number, unit: string, digits: number) =>
    numberFormat(language, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: digits }).format(value);
  if (milliseconds < 1000) return unit(Math.round(milliseconds), 'millisecond', 0);
  if (milliseconds < 60_000) return unit(milliseconds / 1000, 'second', 1);
  const seconds = Math.round(milliseconds / 1000);
  if (seconds >= 3600) {
    const [size, name, smaller, smallerName] =
      seconds >= 86_400 ? ([86_400, 'day', 3600, 'hour'] as const) : ([3600, 'hour', 60, 'minute'] as const);
    const rest = Math.floor((seconds % size) / smaller);
    const whole = unit(Math.floor(seconds / size), name, 0);
    return rest === 0 ? whole : `${whole} ${unit(rest, smallerName, 0)}`;
  }
  const minutes = unit(Math.floor(seconds / 60), 'minute', 0);
  return seconds % 60 === 0 ? minutes : `${minutes} ${unit(seconds % 60, 'second', 0)}`;
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Formats a size in decimal units: 512 byte, 8.2 kB, 1.3 GB. */
export function formatBytes(language: Language, bytes: Maybe<number>): string {
  if (bytes === null || bytes === undefined) return UNKNOWN;
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return numberFormat(language, {
    style: 'unit',
    unit: byteUnits[power] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1000 ** power);
}

export function formatPercent(language: Language, share: Maybe<number>, digits = 0): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN;
  return numberFormat(language, { style: 'percent', maximumFractionDigits: digits }).format(share);
}

/** Formats a relative change with its sign: 0.12 is +12%, −0.5 is -50%. */
export function formatPercentChange(language: Language, change: number): string {
  return numberFormat(language, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }).format(
    change,
  );
}

/** Formats a price factor as a discount: 0.85 is 8.5 (折) in Chinese and 15% in other languages. */
export function formatDiscount(language: Language, factor: number): string {
  return language === 'zh_CN' || language === 'zh_HK'
    ? formatNumber(language, factor * 10, 2)
    : formatPercent(language, 1 - factor, 1);
}

const steps: [limit: number, size: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 1, 'second'],
  [3600, 60, 'minute'],
  [86_400, 3600, 'hour'],
  [30 * 86_400, 86_400, 'day'],
  [365 * 86_400, 30 * 86_400, 'month'],
  [Number.POSITIVE_INFINITY, 365 * 86_400, 'year'],
];

/** @param seconds UTC seconds */
export function formatRelative(language: Language, seconds: number, nowSeconds = Date.now() / 1000): string {
  const distance = seconds - nowSeconds;
  const step = steps.find(([limit]) => Math.abs(distance) < limit);
  const [, size, unit] = step ?? [0, 1, 'second' as const];
  return new Intl.RelativeTimeFormat(languageTags[language], { numeric: 'auto', style: 'short' }).format(
    Math.trunc(distance / size),
    unit,
  );
}

/** Formats the exact time in the browser's time zone with the zone's name. */
export function formatMoment(language: Language, seconds: number): string {
  return new Intl.DateTimeFormat(languageTags[language], {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).format(seconds * 1000);
}

/** Formats day and minute in the browser's time zone, for a filter with little space. */
export function formatShortMoment(language: Language, seconds: number): string {
  return new Intl.DateTimeFormat(languageTags[language], {
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(seconds * 1000);
}

/** Formats the day in the browser's time zone. */
export function formatDay(language: Language, seconds: number): string {
  return new Intl.DateTimeFormat(languageTags[language], { dateStyle: 'medium' }).format(seconds * 1000);
}

/** Formats a calendar date such as `2026-12-01`, which does not depend on a time zone. */
export function formatDate(language: Language, date: string): string {
  const options = { dateStyle: 'medium', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(languageTags[language], options).format(Date.parse(date));
}
