/** Requests of a batch as its file contains them: one JSON object per line, read one at a time. */
import { setImmediate } from 'node:timers/promises';
import { findBodyExcess, isLongJson } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import { FileMissingError, openFile, readFilePart } from './batch-files.ts';

/** Error in an input file, as its batch reports it. */
export interface BatchInputError {
  code: string;
  message: string;
  param: string | null;
  /** Line number from 1; null for an error of the file as a whole. */
  line: number | null;
}

export interface InputLine {
  /** Line number from 1. */
  number: number;
  /** Offset in the file, in bytes. */
  start: number;
  bytes: number;
  /** Absent for a long line, which is read again for each use, so that few of them are in memory at once. */
  content: Buffer | undefined;
}

/** File of lines, and the way to work on them. */
export interface LineSource {
  path: string;
  /** Runs synchronous work that takes long so that other requests are not delayed. */
  runPaced: <T>(work: () => T) => Promise<T>;
}

/** Request of a batch. */
export interface BatchRequest {
  customId: string;
  method: unknown;
  url: unknown;
  body: Record<string, unknown>;
}

const LF = 10;
/** Bytes above which a line is long. Hundreds of lines of one user may wait for their turn. */
const LONG_LINE_BYTES = 65_536;
const CUSTOM_ID_MAX = 512;

/** The file cannot be read as the requests of a batch, or has changed. */
export class UnreadableInputError extends Error {
  readonly inputError: BatchInputError;
  constructor(code: string, message: string, line: number | null) {
    super(message);
    this.inputError = { code, message, param: null, line };
  }
}

/**
 * Lines, including empty ones, that are processed per turn of the event loop; a chunk of a file may contain
 * thousands.
 */
const LINES_AT_ONCE = 32;
/** Maximum lines including empty ones. Without it, 200 MB of line ends occupy a core for minutes. */
const ALL_LINES_MAX = 150_000;

/** Yields the non-empty lines, with one short line in memory at a time. @throws UnreadableInputError */
export async function* readInputLines(path: string, maxBytes: number): AsyncGenerator<InputLine> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  let begin = 0;
  const take = (): InputLine[] => {
    const content = bytes > LONG_LINE_BYTES ? undefined : Buffer.concat(pieces);
    const line = { number, start: begin, bytes, content };
    pieces = [];
    begin += bytes + 1;
    bytes = 0;
    return content !== undefined && toText(content) === '' ? [] : [line];
  };
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new UnreadableInputError('line_too_long', `This line is longer than ${maxBytes} bytes.`, number);
    if (bytes > LONG_LINE_BYTES) pieces = [];
    else pieces.push(piece);
  };
  for await (const chunk of await requireFile(openFile(path))) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield* take();
      number += 1;
      if (number > ALL_LINES_MAX) {
        const message = `The file has more than ${ALL_LINES_MAX} lines. Remove the empty ones.`;
        throw new UnreadableInputError('too_many_lines', message, null);
      }
      start = end + 1;
      if (number % LINES_AT_ONCE === 0) await setImmediate();
    }
    add(chunk.subarray(start));
  }
  yield* take();
}

async function requireFile<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof FileMissingError)) throw error;
    throw new UnreadableInputError('file_not_found', 'The input file no longer exists.', null);
  }
}

const toText = (content: Buffer): string => content.toString('utf8').trim();

/** Reads a line's content. @throws UnreadableInputError when the file is gone */
export async function readLine(path: string, { content, start, bytes }: InputLine): Promise<Buffer> {
  return content ?? requireFile(readFilePart(path, start, bytes));
}

/**
 * Reads a line and works on its content: at once, or paced if the line is long.
 * @throws UnreadableInputError when the file is gone; else what the work throws
 */
export async function processLine<T>(
  { path, runPaced }: LineSource,
  line: InputLine,
  work: (content: Buffer) => T,
): Promise<T> {
  const content = await readLine(path, line);
  return isLongJson(content) ? runPaced(() => work(content)) : work(content);
}

/** Error in a line that isn't a batch request. */
type LineError = Omit<BatchInputError, 'line'>;

/** Parses a line of any file. */
export function parseLine(content: Buffer): BatchRequest | LineError {
  const excess = findBodyExcess(content);
  if (excess !== undefined) return { code: 'invalid_json_line', message: `This line ${excess}.`, param: null };
  let reason = '';
  const line = parseJson(toText(content), (found) => {
    reason = found;
  });
  if (!isObject(line))
    return { code: 'invalid_json_line', message: `This line is not a JSON object${reason}.`, param: null };
  const { custom_id: customId, method, url, body } = line;
  if (typeof customId !== 'string' || customId === '' || customId.length > CUSTOM_ID_MAX)
    return {
      code: 'missing_required_parameter',
      message: `custom_id must be a string of up to ${CUSTOM_ID_MAX} characters.`,
      param: 'custom_id',
    };
  if (!isObject(body))
    return { code: 'missing_required_parameter', message: 'body must be a JSON object.', param: 'body' };
  return { customId, method, url, body };
}

/**
 * Parses a line of a file that was validated.
 * @throws UnreadableInputError when the file has changed since
 */
export function parseRequestLine({ number }: Pick<InputLine, 'number'>, content: Buffer): BatchRequest {
  const request = parseLine(content);
  if ('code' in request)
    throw new UnreadableInputError('file_changed', 'The input file has changed since it was validated.', number);
  return request;
}

/** Request of a line, with its body as JSON. */
interface LineBody {
  customId: string;
  body: Buffer;
}

/**
 * Serializes the request of a line of a file that was validated.
 * @throws UnreadableInputError when the file has changed since
 */
export function serializeRequestLine(line: Pick<InputLine, 'number'>, content: Buffer): LineBody {
  const { customId, body } = parseRequestLine(line, content);
  return { customId, body: Buffer.from(JSON.stringify(body)) };
}
