/** Limits of a configuration file, so that any file is read or rejected within seconds. */
import { Lexer } from 'yaml';

/** Maximum bytes. A site of 5,000 channels has about 3 MB. */
export const FILE_MAX_BYTES = 8_388_608;
/** Maximum bytes of a file with a secret. */
export const SECRET_MAX_BYTES = 65_536;
/** Maximum names, values and brackets. */
const TOKENS_MAX = 1_000_000;
/** Maximum levels of brackets, and columns before the first word of a line. Settings have fewer than 20. */
const DEPTH_MAX = 100;

/**
 * Checks the size before parsing. The reader recurses for each level, and its time is quadratic in the levels.
 * @throws with the line
 */
export function checkSize(text: string, path: string): void {
  let parts = 0;
  let line = 1;
  let brackets = 0;
  let column = 0;
  let isAtStart = true;
  for (const part of new Lexer().lex(text)) {
    parts += 1;
    if (parts > TOKENS_MAX)
      throw new Error(
        `${path}:${line}: The file has more than ${TOKENS_MAX} names, values and brackets; split it into several files`,
      );
    if (part === '[' || part === '{') brackets += 1;
    if (part === ']' || part === '}') brackets -= 1;
    const isNewLine = part.includes('\n');
    isAtStart = isNewLine || (isAtStart && isIndent(part));
    column = isNewLine ? 0 : isAtStart ? column + part.length : column;
    if (brackets > DEPTH_MAX || column > DEPTH_MAX)
      throw new Error(`${path}:${line}: The file is nested deeper than ${DEPTH_MAX} levels; use fewer levels`);
    if (isNewLine) line += part.split('\n').length - 1;
  }
}

/** Tokens by which the lexer marks the next part: a byte order mark, a document, content, a plain value. */
const MARKS: ReadonlySet<string> = new Set(['\u{feff}', '\u0002', '\u0018', '\u001f']);

/** Returns whether the next part of the line may nest deeper. */
const isIndent = (part: string): boolean => MARKS.has(part) || /^(?:[-?:]|[ \t]+|[&!].*)$/.test(part);
