/** Indexes a vendor's responses to the lines of a batch, in the downloaded files, by request id. */
import { type FileHandle, open } from 'node:fs/promises';
import { findVendorBody, isLongJson, readLargeVendorLine, readVendorLine } from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import { UserConcurrencyLimiter } from './claim-batches.ts';
import { type InputLine, type LineSource, processLine, readInputLines, UnreadableInputError } from './input-lines.ts';

const LINE_RESPONSE_MAX_BYTES = 64 * 1_048_576;
/** Bytes of a line above which its body is neither parsed nor copied. */
const LARGE_LINE_BYTES = 1_048_576;

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
