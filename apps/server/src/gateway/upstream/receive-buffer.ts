/**
 * Received bytes of an upstream that are not yet parsed. A chunk with few lines is parsed at once. One with many is
 * parsed in slices, between which the event loop serves other requests; the upstream is paused meanwhile.
 */
import { type FairScheduler, LONG_SLICE_MS } from '../limits/fair-scheduler.ts';

const LINE_END = 0x0a;
/** Number of event-stream lines that are parsed, translated and written in less than a millisecond. */
const SLICE_LINES = 32;
/** Maximum slice, for data without lines. */
const SLICE_BYTES = 16_384;

interface Reader {
  scheduler: FairScheduler;
  /** True if each line is processed as it arrives, and not only the complete response. */
  hasEvents: boolean;
  /** Resolves when the response may be parsed further; undefined: at once. */
  mayRead(): Promise<void> | undefined;
  /** Parses bytes, which may be cut anywhere. */
  read(bytes: Buffer): void;
  /**
   * Called with true when more bytes arrived than one turn can parse, so that the upstream should pause; with false
   * once they are parsed.
   */
  setBehind(isBehind: boolean): void;
}

export class ReceiveBuffer {
  readonly #reader: Reader;
  #chunks: Buffer[] = [];
  #isScheduled = false;
  #isBehind = false;
  /** True after a long slice, which contains the end of a very large event; from then on each slice waits for its turn. */
  #isSlow = false;
  #afterwards: (() => void) | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Collects the chunks of one packet, which are parsed and written to the client together. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#begin());
  }

  /** Runs the work after the upstream's end, once all bytes are parsed; at once if none are left. */
  end(work: () => void): void {
    this.#afterwards = work;
    // Otherwise the pending slice, or the pending wait, runs it.
    if (!this.#isBehind) this.#begin();
  }

  #begin(): void {
    if (this.#isBehind) return;
    const wait = this.#reader.mayRead();
    if (wait !== undefined) {
      this.#fallBehind();
      void wait.then(() => this.#readSlices());
      return;
    }
    if (this.#isSlow && this.#chunks.length > 0) return this.#readSlices();
    this.#isScheduled = false;
    const bytes = joinChunks(this.#chunks);
    this.#chunks = [];
    if (bytes !== undefined) {
      const end = this.#sliceEnd(bytes);
      this.#read(end === bytes.length ? bytes : bytes.subarray(0, end));
      if (end < bytes.length) {
        this.#chunks.push(bytes.subarray(end));
        return this.#readSlices();
      }
    }
    this.#finish();
  }

  #read(bytes: Buffer): void {
    const began = performance.now();
    this.#reader.read(bytes);
    this.#isSlow ||= performance.now() - began > LONG_SLICE_MS;
  }

  #sliceEnd(bytes: Buffer): number {
    return this.#reader.hasEvents ? findSliceEnd(bytes) : bytes.length;
  }

  #fallBehind(): void {
    this.#isScheduled = true;
    this.#isBehind = true;
    this.#reader.setBehind(true);
  }

  #readSlices(): void {
    if (!this.#isBehind) this.#fallBehind();
    this.#reader.scheduler.add(() => this.#readSlice());
  }

  #readSlice(): boolean {
    const bytes = joinChunks(this.#chunks);
    if (bytes !== undefined) {
      const end = this.#sliceEnd(bytes);
      this.#chunks = end < bytes.length ? [bytes.subarray(end)] : [];
      this.#read(bytes.subarray(0, end));
      if (this.#chunks.length > 0) return true;
    }
    this.#isScheduled = false;
    this.#isBehind = false;
    this.#finish();
    // The resumed upstream may synchronously deliver more bytes, and its end.
    this.#reader.setBehind(false);
    return false;
  }

  #finish(): void {
    const work = this.#afterwards;
    this.#afterwards = undefined;
    work?.();
  }
}

function joinChunks(chunks: readonly Buffer[]): Buffer | undefined {
  return chunks.length > 1 ? Buffer.concat(chunks) : chunks[0];
}

/** Returns the end of the first slice, by the maximum of lines and bytes. */
function findSliceEnd(bytes: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < SLICE_LINES; lines += 1) {
    const at = bytes.indexOf(LINE_END, end);
    if (at === -1 || at >= SLICE_BYTES) return Math.min(bytes.length, SLICE_BYTES);
    end = at + 1;
  }
  return end;
}
