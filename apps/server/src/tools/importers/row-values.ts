/** Converts columns of other installations, regardless of their database's types. Nothing here throws. */
import { isObject, parseJson } from '@switchyard/relay/json';

/** Smallest value that counts as milliseconds: as seconds it would be beyond the year 5000. */
const MILLISECONDS_FROM = 100_000_000_000n;
const MICROSECONDS_FROM = 100_000_000_000_000n;
const NANOSECONDS_FROM = 100_000_000_000_000_000n;
/** End of the year 9999, because databases do not support all later times. */
const LATEST = 253_402_300_799;
const DECIMALS_MAX = 40;

export type Row = Readonly<Record<string, unknown>>;

/** Decoder for bytes that are not UTF-8, which Chinese programs wrote. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
const gb18030 = new TextDecoder('gb18030');

/** Returns text without control characters and surrounding spaces; empty for other values. */
export function readText(value: unknown): string {
  const text = decodeText(value);
  return text.replaceAll(/\p{Cc}/gu, ' ').trim();
}

/** Returns text with its line breaks. */
export function readMultilineText(value: unknown): string {
  return decodeText(value)
    .replaceAll(/[^\P{Cc}\n]/gu, '')
    .trim();
}

function decodeText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (!(value instanceof Uint8Array)) return '';
  try {
    return utf8.decode(value);
  } catch {
    return gb18030.decode(value);
  }
}

/** Returns an integer of any size, without fractions; undefined if there is none. */
export function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return BigInt(value);
  if (typeof value === 'number') return Number.isFinite(value) ? BigInt(Math.trunc(value)) : undefined;
  const digits = /^\s*([+-]?\d{1,40})(?:\.\d*)?\s*$/.exec(decodeText(value))?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

/** Returns a safe integer, or `fallback`. */
export function readNumber(value: unknown, fallback = 0): number {
  const number = Number(readInteger(value) ?? BigInt(fallback));
  return Number.isSafeInteger(number) ? number : fallback;
}

export function readBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (value instanceof Uint8Array && value.length === 1) return value[0] === 1 || value[0] === 0x31;
  return ['1', 't', 'true', 'yes', 'on'].includes(readText(value).toLowerCase());
}

/** Returns UTC seconds; 0 if unknown. Databases store seconds, fractions of them, or dates as text. */
export function readTime(value: unknown): number {
  if (value instanceof Date) return clampTime(value.getTime() / 1000);
  const number = readInteger(value);
  return clampTime(number === undefined ? Date.parse(readText(value)) / 1000 : toSeconds(number));
}

function toSeconds(number: bigint): number {
  if (number < MILLISECONDS_FROM) return Number(number);
  if (number < MICROSECONDS_FROM) return Number(number / 1000n);
  return Number(number < NANOSECONDS_FROM ? number / 1_000_000n : number / 1_000_000_000n);
}

const clampTime = (seconds: number): number => Math.min(LATEST, Math.max(0, Math.trunc(seconds) || 0));

/** Returns an object, also from its JSON; empty for other values. */
export function readObject(value: unknown): Row {
  const object = typeof value === 'string' || value instanceof Uint8Array ? parseJson(decodeText(value)) : value;
  return isObject(object) ? object : {};
}

/** Returns whether there is a text that isn't a JSON object. */
export function isInvalidJson(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '' && !isObject(parseJson(text));
}

export function readList(value: unknown): readonly unknown[] {
  const list = typeof value === 'string' || value instanceof Uint8Array ? parseJson(decodeText(value)) : value;
  return Array.isArray(list) ? list : [];
}

/** Returns the names of a list separated by commas or line breaks. */
export function readNames(value: unknown): readonly string[] {
  const names = decodeText(value).split(/[,\n\r]/);
  return [...new Set(names.map((name) => readText(name)).filter((name) => name !== ''))];
}

/** Returns whether a row is marked as deleted. */
export function isDeleted(row: Row): boolean {
  return (row['deleted_at'] ?? null) !== null && row['deleted_at'] !== '' && row['deleted_at'] !== 0n;
}

/** `digits` × 10^-`scale`. */
export interface Decimal {
  digits: bigint;
  scale: number;
}

export const ONE: Decimal = { digits: 1n, scale: 0 };

/** Returns the decimal; undefined if the value is not a number, or has an extreme length. */
export function parseDecimal(value: unknown): Decimal | undefined {
  const text =
    typeof value === 'string' ? value.trim() : typeof value === 'bigint' ? String(value) : toShortestText(value);
  const parts = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:e([+-]?\d{1,2}))?$/i.exec(text);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  if (whole === '' && fraction === '') return undefined;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > DECIMALS_MAX) return undefined;
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Returns the shortest decimal of a double, which is what was typed originally. */
function toShortestText(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : '';
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale };
}

/** Returns the nearest integer to `value` × `unit`, and whether it is exact. */
export function roundToUnit(value: Decimal, unit: bigint): { whole: bigint; isExact: boolean } {
  const divisor = 10n ** BigInt(value.scale);
  const product = value.digits * unit;
  const rest = product % divisor;
  const half = rest * 2n;
  const up = half >= divisor ? 1n : half <= -divisor ? -1n : 0n;
  return { whole: product / divisor + up, isExact: rest === 0n };
}
