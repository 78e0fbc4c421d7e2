/** Values as SQLite gives them, so that one query has one answer on both. */
import pg from 'pg';

const BOOL = 16;
const INT8 = 20;
const NUMERIC = 1700;

/** @throws for an integer that a number cannot hold exactly: points are never rounded */
function parseExactInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError('The database contains an integer that is too large to be represented exactly');
  return value;
}

/** A text of PostgreSQL holds no NUL, which clients and vendors may send: one of theirs must not fail what it is written with. */
export function toStorable<T>(value: T): T | string {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Returns the parser of a column's text for its type's number. */
export const getValueParser: typeof pg.types.getTypeParser = (type: number, format?: 'text' | 'binary') => {
  if (type === INT8 || type === NUMERIC) return parseExactInteger;
  if (type === BOOL) return (text: string) => Number(text === 't');
  return format === 'binary' ? pg.types.getTypeParser(type, 'binary') : pg.types.getTypeParser(type, 'text');
};
