/** Nobody nests deeper; the parser calls itself for each level, and its time grows with the square of the levels. */
const MOST_LEVELS = 50;
const MOST_CHARACTERS = 200_000;
/** Maximum number of characters in one paragraph or cell, where the parser searches an end for each mark it meets. */
const MOST_INLINE_CHARACTERS = 10_000;
/** The parser takes each character of a word for the beginning of an address and seeks its "@". */
const MOST_STEPS_IN_WORDS = 2_000_000;

/** Quote and list marks with the indentation before them, as a line begins that is no rule ("- - -"). */
const marks = /^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm;
/** Each is one step for the parser, however long it is. */
const wholes = /\(data:[^\s)]*\)|https?:\/\/[a-z0-9][^\s<]*|`[^`\n]*`/gi;
const longWords = /[\w.!#$%&'*+/=?{|}~-]{100,}/g;

/** Returns whether the text is short and flat enough to be parsed as Markdown without blocking the page. */
export function isReadableMarkdown(text: string): boolean {
  if (text.replace(wholes, '').length > MOST_CHARACTERS) return false;
  return (text.match(marks) ?? []).every((start) => levels(start) <= MOST_LEVELS);
}

/** Returns whether marks, links and addresses can be searched in the text of one paragraph or cell. */
export function isReadableInline(text: string): boolean {
  const sought = text.replace(wholes, '');
  if (sought.length > MOST_INLINE_CHARACTERS) return false;
  const steps = (sought.match(longWords) ?? []).reduce((sum, { length }) => sum + length ** 2, 0);
  return steps <= MOST_STEPS_IN_WORDS;
}

/** Returns an upper bound of the nesting levels: a quote takes one column, a list two. */
function levels(start: string): number {
  const columns = start.replaceAll('\t', '    ').length;
  const quotes = start.split('>').length - 1;
  return quotes + (columns - quotes) / 2;
}
