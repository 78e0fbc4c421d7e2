/** CSV cells (RFC 4180) for the exports of the server and the console. */

/**
 * Position where a spreadsheet may begin a cell: the start, and each separator that it may use instead of the comma,
 * because the quotes of this file mean nothing within such a cell. Commas are always quoted. Spaces, invisible
 * characters and quotes before a formula don't prevent it from running, and some spreadsheets accept the full-width
 * and small forms of its first character.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
const BEFORE_FORMULA =
  /^(?=[\t\r\n])|(?:^|(?<=[;\|\t\r\n\v\f\u0085\u2028\u2029]))(?=[[\s\p{Cc}\p{Cf}"']--[\t\r\n\v\f\u0085\u2028\u2029]]*[=+\-@\|%＝＋－＠｜％﹢﹣﹦﹫])/gv;

/** Returns the cell in CSV form. A text that a spreadsheet would run as a formula gets an apostrophe. */
export function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll(BEFORE_FORMULA, "'");
  return /[",;\t\r\n\v\f\u0085\u2028\u2029]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
