/** Reads a configuration file, and names the line of each error. */
import { type Document, isNode, isScalar, Lexer, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import { describeIssue, issueContext } from '../../platform/http/field-errors.ts';
import { describeUnknownField, findUnknownFields } from '../../platform/http/unknown-fields.ts';
import { type ConfigFile, configFileSchema } from './file-schema.ts';
import { readTextFile } from './placeholders.ts';
import { type FieldPath, formatPath } from './plan-types-and-formatting.ts';

export interface ParsedConfigFile {
  content: ConfigFile;
  /** `switchyard.yaml:12: channels[3].models` */
  locate(fieldPath: FieldPath): string;
}

/** Maximum bytes. A site of 5,000 channels has about 3 MB. */
const FILE_MAX_BYTES = 8_388_608;

/** Maximum names, values and brackets. */
const TOKENS_MAX = 1_000_000;
/** Maximum levels of brackets, and columns before the first word of a line. Settings have fewer than 20. */
const DEPTH_MAX = 100;
/** Tokens by which the lexer marks the next part: a byte order mark, a document, content, a plain value. */
const MARKS: ReadonlySet<string> = new Set(['\u{feff}', '\u0002', '\u0018', '\u001f']);

const ERRORS_SHOWN = 50;

/** @throws with a line for each error, also for a file that is too large or too deeply nested */
export function readConfigFile(path: string): ParsedConfigFile {
  const lines = new LineCounter();
  const text = readTextFile(path, FILE_MAX_BYTES);
  checkSize(text, path);
  const document = parseDocument(text, {
    lineCounter: lines,
    // The reader compares each key with all others; `findDuplicateKey` does not.
    uniqueKeys: false,
    prettyErrors: false,
    // The reader would otherwise print the text of a key, which may be secret.
    logLevel: 'error',
  });
  const [broken] = [...document.errors, ...document.warnings];
  if (broken !== undefined)
    throw new Error(
      `${path}:${lines.linePos(broken.pos[0]).line}: ${needsQuotes[broken.code] ?? omitQuotedInput(broken.message)}`,
    );
  const duplicate = findDuplicateKey(document);
  if (duplicate !== undefined) throw new Error(`${path}:${lines.linePos(duplicate).line}: Map keys must be unique`);
  const at = (fieldPath: FieldPath): string => {
    const line = findLine(document, lines, fieldPath);
    return `${path}:${line}${fieldPath.length === 0 ? '' : `: ${formatPath(fieldPath)}`}`;
  };
  const value = toValue(document, path);
  const parsed = configFileSchema.safeParse(value, issueContext);
  const errors =
    parsed.error?.issues.map((issue) => ({ place: issue.path, message: describeIssue(issue, value) })) ??
    Array.from(findUnknownFields(configFileSchema, value), (field) => ({
      place: field.path,
      message: describeUnknownField(field),
    }));
  if (errors.length > 0 || parsed.data === undefined)
    throw new Error(
      errors
        .slice(0, ERRORS_SHOWN)
        .map(({ place: fieldPath, message }) => `${at(fieldPath)}: ${message}`)
        .join('\n'),
    );
  return { content: parsed.data, locate: at };
}

/**
 * Checks the size before parsing. The reader recurses for each level, and its time is quadratic in the levels.
 * @throws with the line
 */
function checkSize(text: string, path: string): void {
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

/** Returns whether the next part of the line may nest deeper. */
const isIndent = (part: string): boolean => MARKS.has(part) || /^(?:[-?:]|[ \t]+|[&!].*)$/.test(part);

/** Returns the offset of the first key that its map already has. */
function findDuplicateKey(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

/** Converts a document to a value. The reader rejects aliases that would expand beyond the memory. */
function toValue(document: Document, path: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    const message = error instanceof Error ? omitQuotedInput(error.message) : 'cannot be read';
    throw new Error(`${path}: ${message}`, { cause: error });
  }
}

/** Messages in place of those in which the YAML reader quotes the input in the middle of a sentence. */
const needsQuotes: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_DIRECTIVE: 'A value that begins with a percent sign needs quotes',
  BAD_DQ_ESCAPE:
    'The backslash begins an invalid escape sequence in double quotes. Use single quotes to keep it as it is.',
  TAG_RESOLVE_FAILED: 'A value that begins with an exclamation mark needs quotes',
};

/** Removes the part after a colon, where the reader quotes the input; that may be a secret which needs quotes. */
const omitQuotedInput = (message: string): string => message.replace(/:.*$/s, '');

/** Returns the line of a field, or of the nearest parent of a missing one. */
function findLine(document: Document, lines: LineCounter, fieldPath: FieldPath): number {
  for (let length = fieldPath.length; length > 0; length -= 1) {
    const node = document.getIn(fieldPath.slice(0, length), true);
    if (isNode(node) && node.range != null) return lines.linePos(node.range[0]).line;
  }
  return 1;
}
