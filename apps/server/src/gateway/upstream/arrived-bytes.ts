/**
 * Bytes that an upstream has sent and that are still to be read. A chunk with few lines is read at once. One with
 * many is read in slices, between which the event loop serves others, and meanwhile the upstream is not read.
 */
import type { FairScheduler } from '../limits/fair-scheduler.ts';

const LINE_END = 0x0a;
/** Lines of an event stream: reading, translating and writing them takes less than a millisecond. */
const SLICE_LINES = 32;
/** The most of a slice, also where there are no lines. */
const SLICE_BYTES = 16_384;
/** A slice that takes longer ends an event which lists much. */
const LONG_MS = 5;

interface Reader {
  scheduler: FairScheduler;
  /** Each line costs something now, and not only the end of all. */
  hasEvents: boolean;
  /** When the response may be read on; undefined: now. */
  mayRead(): Promise<void> | undefined;
  /** Reads bytes, which may be cut anywhere. */
  read(bytes: Buffer): void;
  /** Told that more is to be read than fits in one turn, so that the upstream should wait, and that it was read. */
  setBehind(isBehind: boolean): void;
}

export class ArrivedBytes {
  readonly #reader: Reader;
  #chunks: Buffer[] = [];
  #isScheduled = false;
  #isBehind = false;
  /** Some slice took long; from then on each waits for its turn. */
  #isSlow = false;
  #afterwards: (() => void) | undefined;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Chunks that came with one packet are read, and written to the client, as one. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#begin());
  }

  /** The upstream ended: runs the work once all that came before is read, at once where nothing is left. */
  end(work: () => void): void {
    this.#afterwards = work;
    // The turn that comes, or the wait, ends with it.
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
    this.#isSlow ||= performance.now() - began > LONG_MS;
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
    // The upstream that goes on may hand over more at once, and its end.
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

/** Returns where the first slice ends: behind so many lines or bytes. */
function findSliceEnd(bytes: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < SLICE_LINES; lines += 1) {
    const at = bytes.indexOf(LINE_END, end);
    if (at === -1 || at >= SLICE_BYTES) return Math.min(bytes.length, SLICE_BYTES);
    end = at + 1;
  }
  return end;
}
