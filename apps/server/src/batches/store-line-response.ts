/**
 * Stores the response to a batch line: decides whether its error is temporary, serializes it, and retries until it is
 * stored.
 */
import { StringDecoder } from 'node:string_decoder';
import { isLongJson } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { sleep, type Timers } from '../platform/clock.ts';
import type { LargeBody, LineResponse } from './batch-relay-interface.ts';
import { type BatchRow, type StoredLineResponse, storeLineResponse } from './batch-store.ts';
import type { LineSource } from './input-lines.ts';

type KeepContext = Pick<Context, 'db' | 'log' | 'clock'>;

/** Codes of temporary errors: rate limits of the gateway or of vendors, overload, shutdown. */
const temporaryErrorCodes: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'upstream_saturated',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
/**
 * Codes of temporary errors for a response that its vendor has already returned, so that no request is sent; a
 * channel may be disabled for a while.
 */
export const temporaryVendorErrorCodes: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'no_available_channel',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
export const WAIT_MAX_SECONDS = 60;

/** Bytes that are formatted and stored in one turn of the event loop, which takes some milliseconds. */
const PIECE_BYTES = 1_048_576;
const PIECE_PAUSE_MS = 20;
const FIRST_PRINTABLE = 32;
const SPACE = 32;

interface RequestedLine {
  line: number;
  requestId: string;
  customId: string;
}

/** Stores a response. Retries while the disk is full, so that a paid response isn't lost. */
export function storeResponseWithRetry(
  ctx: KeepContext,
  batch: Pick<BatchRow, 'id'>,
  answer: StoredLineResponse,
  stopped: AbortSignal,
): Promise<void> {
  return retryUntilStored(ctx, batch, () => storeLineResponse(ctx, batch.id, answer), stopped);
}

async function retryUntilStored(
  ctx: KeepContext,
  { id }: Pick<BatchRow, 'id'>,
  store: () => Promise<unknown>,
  stopped: AbortSignal,
): Promise<void> {
  for (let waitSeconds = 1; ; waitSeconds *= 2) {
    try {
      return void (await store());
    } catch (error) {
      if (stopped.aborted) throw error;
      ctx.log.warn({ err: error, batch: id }, 'a batch response could not be stored yet');
      await waitForRetry(ctx.clock, waitSeconds, stopped);
    }
  }
}

/** Waits; ends early when the signal aborts. */
export async function waitForRetry(timers: Timers, seconds: number, over: AbortSignal): Promise<void> {
  const ms = Math.min(seconds, WAIT_MAX_SECONDS) * 1000;
  await sleep(timers, ms, over).catch(() => undefined);
}

export function isTemporaryError({ status, body }: LineResponse, codes = temporaryErrorCodes): boolean {
  // OpenAI refuses a request that is too large for any minute with the code of a rate limit.
  if (status !== 429 && status < 500) return false;
  const answer = parseJson(body.toString());
  const error = isObject(answer) ? answer['error'] : undefined;
  return isObject(error) && typeof error['code'] === 'string' && codes.has(error['code']);
}

/**
 * Response of a line on its way to its output file. A large one is stored piece by piece while it is received, so that
 * neither the memory nor one turn of the event loop has to handle all of it.
 */
export class LineOutput {
  readonly #ctx: KeepContext;
  readonly #batch: Pick<BatchRow, 'id'>;
  readonly #line: RequestedLine;
  readonly #stopped: AbortSignal;
  #isInPieces = false;

  constructor(ctx: KeepContext, batch: Pick<BatchRow, 'id'>, line: RequestedLine, stopped: AbortSignal) {
    this.#ctx = ctx;
    this.#batch = batch;
    this.#line = line;
    this.#stopped = stopped;
  }

  /** Stores a large body. Continues during a shutdown, because the response is charged. @throws when it is not stored */
  readonly storeLarge = async ({ status, isJson, pieces }: LargeBody): Promise<void> => {
    const { before, after } = this.#frame(status);
    const quote = isJson ? '' : '"';
    const format = isJson ? (text: string) => text : (text: string) => JSON.stringify(text).slice(1, -1);
    const decoder = new StringDecoder('utf8');
    let piece = 0;
    await this.#storePiece(piece, before + quote);
    for await (const bytes of joinUpTo(PIECE_BYTES, pieces)) {
      piece += 1;
      if (isJson) replaceControlCharacters(bytes);
      await this.#storePiece(piece, format(decoder.write(bytes)));
    }
    await this.#storePiece(piece + 1, format(decoder.end()) + quote + after);
    this.#isInPieces = true;
  };

  /** Returns the response to be stored. A long one is checked and serialized paced. */
  async format(
    { runPaced }: Pick<LineSource, 'runPaced'>,
    { status, body }: LineResponse,
  ): Promise<StoredLineResponse> {
    const { line, requestId } = this.#line;
    const answered = { line, isError: status >= 400 };
    if (this.#isInPieces) return { ...answered, output: { piecesOf: requestId } };
    const { before, after } = this.#frame(status);
    const json = isLongJson(body) ? await runPaced(() => serializeBody(body)) : serializeBody(body);
    return { ...answered, output: before + json + after };
  }

  /** Returns the line of the output file around the body of the response. */
  #frame(status: number): { before: string; after: string } {
    const { requestId, customId } = this.#line;
    const names = `{"id":"batch_req_${requestId}","custom_id":${JSON.stringify(customId)}`;
    const before = `${names},"response":{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":`;
    return { before, after: '},"error":null}' };
  }

  async #storePiece(piece: number, content: string): Promise<void> {
    const { db } = this.#ctx;
    const row = { batch_id: this.#batch.id, request_id: this.#line.requestId, piece, content };
    const insert = db.writer
      .insertInto('batch_line_piece')
      .values(row)
      // The piece may be stored although its connection failed.
      .onConflict((conflict) => conflict.doNothing());
    await retryUntilStored(this.#ctx, this.#batch, () => insert.execute(), this.#stopped);
    await sleep(db.machine, PIECE_PAUSE_MS);
  }
}

/** Yields the stored pieces of a line. */
export async function* readLinePieces(
  { db }: Pick<Context, 'db'>,
  batchId: string,
  requestId: string,
): AsyncGenerator<string> {
  for (let piece = 0; ; piece += 1) {
    const row = await db.writer
      .selectFrom('batch_line_piece')
      .select('content')
      .where('batch_id', '=', batchId)
      .where('request_id', '=', requestId)
      .where('piece', '=', piece)
      .executeTakeFirst();
    if (row === undefined) return;
    yield row.content;
  }
}

/** Yields the bytes in copies of about a size. */
async function* joinUpTo(size: number, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < size) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  yield Buffer.concat(held);
}

/** Replaces line breaks, which would end a line of the file. JSON has control characters only between its values. */
function replaceControlCharacters(json: Buffer): void {
  for (let at = 0; at < json.length; at += 1) if ((json[at] ?? SPACE) < FIRST_PRINTABLE) json[at] = SPACE;
}

function serializeBody(body: Buffer): string {
  const text = body.toString();
  // Line breaks within JSON are insignificant, but would end a line here.
  return parseJson(text) === undefined ? JSON.stringify(text) : text.replaceAll(/[\r\n]+/g, ' ');
}
