/** Transfers the files of a batch that a vendor runs: uploads its requests, downloads its responses. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  findVendorBody,
  isLongJson,
  planFileDownload,
  planFileUpload,
  readFileId,
  readLargeVendorLine,
  readVendorLine,
} from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import type { TaskAccount } from '../tasks/tasks.ts';
import { createFile, FILE_MAX_BYTES, filePath, getFileSize, openFile } from './batch-files.ts';
import { UserConcurrencyLimiter } from './claim-batches.ts';
import { type InputLine, type LineSource, processLine, readInputLines, UnreadableInputError } from './input-lines.ts';

type TransferContext = Pick<Context, 'config' | 'outbound'>;

/** Timeout of a file transfer, in milliseconds. */
const TRANSFER_MS = 1_800_000;
/** A response may be longer than its request. */
const RESPONSE_FILE_MAX_BYTES = 10 * FILE_MAX_BYTES;
const LINE_RESPONSE_MAX_BYTES = 64 * 1_048_576;
/** Bytes of a line above which its body is neither parsed nor copied. */
const LARGE_LINE_BYTES = 1_048_576;
const UPLOAD_RESPONSE_MAX_BYTES = 65_536;

/** @returns the vendor's response, and its id of the file if it accepted it. @throws when there is no response */
export async function uploadFile(
  ctx: TransferContext,
  { target, proxy }: TaskAccount,
  path: string,
  stopped: AbortSignal,
): Promise<{ status: number; json: unknown; fileId: string | undefined }> {
  const boundary = `----batch-${randomBytes(16).toString('hex')}`;
  const part = (head: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const head = Buffer.from(
    `${part('name="purpose"')}\r\nbatch\r\n${part('name="file"; filename="batch.jsonl"')}content-type: application/jsonl\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const size = await getFileSize(path);
  const { method, url, headers } = planFileUpload(target);
  const answer = await ctx.outbound.open({
    method,
    url,
    headers: {
      ...headers,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: Readable.from(buildForm(head, path, tail)),
    proxy,
    signal: AbortSignal.any([stopped, AbortSignal.timeout(TRANSFER_MS)]),
  });
  let responseText = '';
  for await (const piece of answer.body)
    if (responseText.length < UPLOAD_RESPONSE_MAX_BYTES) responseText += piece.toString();
  const { status } = answer;
  const json = parseJson(responseText);
  return { status, json, fileId: status < 300 ? readFileId(json) : undefined };
}

async function* buildForm(head: Buffer, path: string, tail: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* (await openFile(path)) as AsyncIterable<Buffer>;
  yield tail;
}

/** @throws when the download fails, or is too large */
export async function downloadFile(
  ctx: TransferContext,
  { target, proxy }: TaskAccount,
  { id, name }: { id: string; name: string },
  stopped: AbortSignal,
): Promise<string> {
  const { method, url, headers } = planFileDownload(target, id);
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TRANSFER_MS)]);
  const file = await createFile(ctx, name);
  try {
    const answer = await ctx.outbound.open({ method, url, headers, proxy, signal });
    const isSent = answer.status === 200;
    // Checked within the loop, which closes the body when it ends early.
    for await (const piece of answer.body) {
      if (!isSent) break;
      if (file.bytes + piece.length > RESPONSE_FILE_MAX_BYTES)
        throw new Error('the provider’s output file is too large');
      await file.write(piece);
    }
    if (!isSent) throw new Error(`the provider did not send its output file (HTTP ${answer.status})`);
    await file.close();
  } catch (error) {
    await file.discard();
    throw error;
  }
  return filePath(ctx, name);
}

/** Lets one large line at a time be in memory, regardless of its batch. */
const largeLineLimiter = new UserConcurrencyLimiter(() => 1);
const EVERYBODY = 0;

function limitLargeLines<T>(bytes: number, work: () => Promise<T>): Promise<T> {
  return bytes < LARGE_LINE_BYTES ? work() : largeLineLimiter.run(EVERYBODY, work);
}

/** Returns the request id of a line that has a response. */
function findName(source: LineSource, line: InputLine): Promise<string | undefined> {
  return processLine(source, line, (content) => {
    if (content.length >= LARGE_LINE_BYTES) {
      const large = readLargeVendorLine(content);
      return large?.status === undefined ? undefined : large.name;
    }
    const found = readVendorLine(parseJson(content.toString()));
    return found?.answer && found.name;
  });
}

interface VendorResponse {
  status: number;
  /** JSON. */
  body: Buffer;
}

/** Index of responses in files by request id; each is read when it is needed. */
export class VendorResponses {
  readonly #places = new Map<string, { file: FileHandle; start: number; bytes: number }>();
  readonly #files: FileHandle[] = [];
  readonly #wanted: ReadonlySet<string>;
  readonly #runPaced: LineSource['runPaced'];

  /** @param wanted request ids; other responses are ignored @param runPaced for long responses */
  constructor(wanted: ReadonlySet<string>, runPaced: LineSource['runPaced']) {
    this.#wanted = wanted;
    this.#runPaced = runPaced;
  }

  /** @throws when the signal aborts, or the file cannot be read */
  async add(path: string, stopped: AbortSignal): Promise<void> {
    const file = await open(path);
    this.#files.push(file);
    try {
      const source = { path, runPaced: this.#runPaced };
      for await (const found of readInputLines(path, LINE_RESPONSE_MAX_BYTES)) {
        stopped.throwIfAborted();
        const name = await limitLargeLines(found.bytes, () => findName(source, found));
        if (name !== undefined && this.#wanted.has(name))
          this.#places.set(name, { file, start: found.start, bytes: found.bytes });
      }
    } catch (error) {
      // The complete lines before an incomplete one count.
      if (!(error instanceof UnreadableInputError)) throw error;
    }
  }

  has(requestId: string): boolean {
    return this.#places.has(requestId);
  }

  /** Resolves with undefined without a response. */
  async read(requestId: string): Promise<VendorResponse | undefined> {
    const location = this.#places.get(requestId);
    if (location === undefined) return undefined;
    const { file, start, bytes } = location;
    const { buffer } = await file.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, start);
    if (bytes >= LARGE_LINE_BYTES) return this.#readLarge(buffer);
    const parse = (): VendorResponse | undefined => {
      const line = readVendorLine(parseJson(buffer.toString()));
      return line?.answer && { status: line.answer.status, body: Buffer.from(JSON.stringify(line.answer.body)) };
    };
    return isLongJson(buffer) ? this.#runPaced(parse) : parse();
  }

  /** Runs work that holds a response in memory. */
  hold<T>(requestId: string, work: () => Promise<T>): Promise<T> {
    return limitLargeLines(this.#places.get(requestId)?.bytes ?? 0, work);
  }

  async #readLarge(line: Buffer): Promise<VendorResponse | undefined> {
    const status = await this.#runPaced(() => readLargeVendorLine(line)?.status);
    if (status === undefined) return undefined;
    return { status, body: await this.#runPaced(() => findVendorBody(line)) };
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
  }
}
