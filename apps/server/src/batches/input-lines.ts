/** Requests of a batch as its file contains them: one JSON object per line, read one at a time. */
import { setImmediate } from 'node:timers/promises';
import { DEPTH_MAX, isDeeperThan, isObject, parseJson } from '@switchyard/relay/json';
import { FileMissingError, openFile } from './batch-files.ts';

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
  text: string;
  /** Offset in the file, in bytes. */
  start: number;
  bytes: number;
}

/** Request of a batch. */
export interface BatchRequest {
  customId: string;
  method: unknown;
  url: unknown;
  body: Record<string, unknown>;
}

const LF = 10;
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

/** Yields the non-empty lines, with one in memory at a time. @throws UnreadableInputError */
export async function* readInputLines(path: string, maxBytes: number): AsyncGenerator<InputLine> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 1;
  let begin = 0;
  const take = (): InputLine[] => {
    const text = Buffer.concat(pieces).toString('utf8').trim();
    const line = { number, text, start: begin, bytes };
    pieces = [];
    begin += bytes + 1;
    bytes = 0;
    return text === '' ? [] : [line];
  };
  const add = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > maxBytes)
      throw new UnreadableInputError('line_too_long', `This line is longer than ${maxBytes} bytes.`, number);
    pieces.push(piece);
  };
  for await (const chunk of await readChunks(path)) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield* take();
      number += 1;
      start = end + 1;
      if (number % LINES_AT_ONCE === 0) await setImmediate();
    }
    add(chunk.subarray(start));
  }
  yield* take();
}

async function readChunks(path: string): Promise<AsyncIterable<Buffer>> {
  try {
    return await openFile(path);
  } catch (error) {
    if (!(error instanceof FileMissingError)) throw error;
    throw new UnreadableInputError('file_not_found', 'The input file no longer exists.', null);
  }
}

/** Error in a line that isn't a batch request. */
type LineError = Omit<BatchInputError, 'line'>;

/** Parses a line of any file. */
export function parseLine(text: string): BatchRequest | LineError {
  const line = parseJson(text);
  if (!isObject(line) || isDeeperThan(DEPTH_MAX, line))
    return { code: 'invalid_json_line', message: 'This line is not a JSON object.', param: null };
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
export function parseRequestLine({ number, text }: Pick<InputLine, 'number' | 'text'>): BatchRequest {
  const request = parseLine(text);
  if ('code' in request)
    throw new UnreadableInputError('file_changed', 'The input file has changed since it was validated.', number);
  return request;
}
