/**
 * Documents for people to keep, as PDF. They are drawn in a thread of their own, one after the other: a long one takes a
 * quarter of a second.
 */
import { Worker } from 'node:worker_threads';
import type { Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { PdfDocument } from './document.ts';

export type { PdfColumn, PdfDocument, PdfTable } from './document.ts';
export { type DocumentFormat, documentFormat } from './document-format.ts';
export { printable, printableLines } from './printable.ts';
export { wordsOf } from './words/document-words.ts';
export type { Words } from './words/words.ts';

/** Includes the start of the thread. */
const DEADLINE_MS = 15_000;
const WAITING_MAX = 8;
/** Share of `WAITING_MAX` that one owner may use. */
const WAITING_OF_ONE_MAX = 2;

/** Owners of the documents that are being made or wait. */
const owners: number[] = [];
let last: Promise<unknown> = Promise.resolve();

/**
 * @param ownerId whose document it is: nobody takes all places
 * @throws AppError `too-many-requests` when the owner or many others wait, `unavailable` when it could not be made in time
 */
export async function makePdf(
  timers: Timers,
  document: PdfDocument,
  ownerId: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const own = owners.filter((id) => id === ownerId).length;
  if (owners.length >= WAITING_MAX || own >= WAITING_OF_ONE_MAX)
    throw new AppError(
      'too-many-requests',
      'Too many documents are being generated. Try again in a moment.',
      { retryAfterSeconds: 5 },
    );
  owners.push(ownerId);
  const made = last
    .then(() => inThread(timers, document))
    .finally(() => owners.splice(owners.indexOf(ownerId), 1));
  last = made.catch(() => {});
  return made;
}

function inThread(timers: Timers, document: PdfDocument): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { workerData: document });
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new AppError('unavailable', 'The document could not be generated', { cause }));
    const timer = timers.after(DEADLINE_MS, () => fail(new Error('Generating the document took too long')));
    worker.once('message', resolve);
    worker.once('error', fail);
    worker.once('exit', () => {
      timer.close();
      fail(new Error('The worker thread ended'));
    });
  }).finally(() => worker.terminate());
}
