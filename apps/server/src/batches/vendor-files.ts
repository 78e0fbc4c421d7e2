/** Files of a batch that a vendor runs: writes and uploads its requests, downloads its responses. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { planFileDownload, planFileUpload, readFileId } from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { DiskFullError } from '../platform/disk-space.ts';
import type { TaskAccount } from '../tasks/tasks.ts';
import { createFile, FILE_MAX_BYTES, type FileWriter, filePath, getFileSize, openFile } from './batch-files.ts';
import type { PreparedLine } from './batch-relay-interface.ts';

type TransferContext = Pick<Context, 'config' | 'outbound'>;

/** Timeout of a file transfer, in milliseconds. */
const TRANSFER_MS = 1_800_000;
/** A response may be longer than its request. */
const RESPONSE_FILE_MAX_BYTES = 10 * FILE_MAX_BYTES;
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

/** Input file for a vendor's batch. */
export class VendorInputFile {
  /** URL of all lines; undefined when there are none or they differ. */
  url: string | undefined;
  /**
   * True if the next line exceeds the size that a vendor, or the disk, accepts. Earlier responses that lines continue
   * can make this file far larger than the input file.
   */
  isFull = false;
  #isMixed = false;
  #written: Promise<void> = Promise.resolve();
  readonly #file: FileWriter;

  constructor(file: FileWriter) {
    this.#file = file;
  }

  add(custom_id: string, { url, body }: Extract<PreparedLine, { url: string }>): Promise<void> {
    this.#isMixed ||= this.url !== undefined && this.url !== url;
    this.url = url;
    // Line breaks within JSON are insignificant, but would end a line here.
    const json = body.replaceAll(/[\r\n]+/g, ' ');
    const line = `${JSON.stringify({ custom_id, method: 'POST', url }).slice(0, -1)},"body":${json}}\n`;
    this.#written = this.#written.then(() => {
      this.isFull ||= this.#file.bytes + Buffer.byteLength(line) > FILE_MAX_BYTES;
      return this.isFull ? undefined : this.#write(line);
    });
    return this.#written;
  }

  async #write(line: string): Promise<void> {
    try {
      await this.#file.write(line);
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      this.isFull = true;
    }
  }

  async close(): Promise<void> {
    if (this.#isMixed || this.isFull) this.url = undefined;
    await this.#file.close();
  }

  discard(): Promise<void> {
    return this.#file.discard();
  }
}
