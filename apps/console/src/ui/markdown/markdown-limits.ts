/** More than real texts have. The parser recurses for each level, and its time grows quadratically. */
const MOST_LEVELS = 50;
const MOST_CHARACTERS = 200_000;
/** Maximum length of a paragraph or cell, in which the parser searches the end of each mark. */
const MOST_INLINE_CHARACTERS = 10_000;
/** Limit for long words: the parser tries each character as the start of an email address. */
const MOST_STEPS_IN_WORDS = 2_000_000;

/** Quote and list marks with their indentation at the start of a line, except a thematic break ("- - -"). */
const marks = /^(?![ \t]*([-*])(?:[ \t]*\1)*[ \t]*$)(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/gm;
/** Parts that are a single step for the parser regardless of their length. */
const wholes = /\(data:[^\s)]*\)|https?:\/\/[a-z0-9][^\s<]*|`[^`\n]*`/gi;
const longWords = /[\w.!#$%&'*+/=?{|}~-]{100,}/g;

/** Returns whether the text is short and flat enough to parse as Markdown without blocking the page. */
export function isReadableMarkdown(text: string): boolean {
  if (text.replace(wholes, '').length > MOST_CHARACTERS) return false;
  return (text.match(marks) ?? []).every((start) => levels(start) <= MOST_LEVELS);
}

/** Returns whether inline marks of a paragraph or cell can be parsed without blocking the page. */
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
