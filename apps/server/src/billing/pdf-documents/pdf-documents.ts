/** Renders PDF documents in a worker thread, one at a time: a long one takes a quarter of a second. */
import { Worker } from 'node:worker_threads';
import type { Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';

export { toPrintable, toPrintableLines } from './printable-text.ts';

/** Document as data, which a worker thread renders to a PDF. */
export interface PdfDocument {
  /** Language of the texts as a BCP 47 tag. */
  language: string;
  /** Author in the file's metadata. */
  siteName: string;
  /** UTC seconds, so that the same content yields the same bytes. */
  createdAt: number;
  title: string;
  /** Lines about the issuer; the first one is emphasized. */
  issuer: readonly string[];
  /** Label and value, below the title. */
  facts: readonly (readonly [string, string])[];
  tables: readonly PdfTable[];
  note: string;
  /** Footer of each page; `{{page}}` and `{{pages}}` are replaced. */
  footer: string;
}

export interface PdfTable {
  heading: string;
  columns: readonly PdfColumn[];
  rows: readonly (readonly string[])[];
  /** Emphasized row below the others. */
  total?: readonly string[];
}

export interface PdfColumn {
  head: string;
  /** Relative width within the table. */
  width: number;
  align: 'left' | 'right';
}

/** Includes the start of the thread. */
const DEADLINE_MS = 15_000;
const WAITING_MAX = 8;
/** Share of `WAITING_MAX` that one owner may use. */
const WAITING_PER_OWNER_MAX = 2;

/** Owners of the documents that are being rendered or waiting. */
const waitingOwners: number[] = [];
let lastRender: Promise<unknown> = Promise.resolve();

/**
 * @param ownerId owner, whose share of the queue is limited
 * @throws AppError `too-many-requests` when the owner's share or the queue is full, `unavailable` when rendering
 * fails or takes too long
 */
export async function renderPdf(
  timers: Timers,
  document: PdfDocument,
  ownerId: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const own = waitingOwners.filter((id) => id === ownerId).length;
  if (waitingOwners.length >= WAITING_MAX || own >= WAITING_PER_OWNER_MAX)
    throw new AppError('too-many-requests', 'Too many documents are being generated. Retry in 5 seconds.', {
      retryAfterSeconds: 5,
    });
  waitingOwners.push(ownerId);
  const made = lastRender
    .then(() => renderInWorker(timers, document))
    .finally(() => waitingOwners.splice(waitingOwners.indexOf(ownerId), 1));
  lastRender = made.catch(() => {});
  return made;
}

function renderInWorker(timers: Timers, document: PdfDocument): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { workerData: document });
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        new AppError(
          'unavailable',
          'The document could not be generated. Try again. If it fails again, send the request ID to the operator.',
          { cause },
        ),
      );
    const timer = timers.after(DEADLINE_MS, () => fail(new Error('Generating the document took too long')));
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', () => {
      timer.close();
      fail(new Error('The worker thread ended'));
    });
  }).finally(() => worker.terminate());
}
