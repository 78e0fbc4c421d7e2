/** Renders PDF documents in a worker thread, one at a time: a long one takes a quarter of a second. */
import { Worker } from 'node:worker_threads';
import type { Language } from '@switchyard/contract/accounts/account-fields';
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Timers } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { PdfDocument } from './pdf-document.ts';

/** Formats of numbers and times in documents. */

export interface DocumentFormat {
  number(value: number): string;
  /** Formats an amount with the currency's code and, for fractions of the minor unit, up to six decimals. */
  money(value: number, currency: Currency): string;
  percent(value: number): string;
  /** UTC seconds. */
  day(time: number): string;
  moment(time: number): string;
  month(time: number): string;
}

/** Narrow and thin spaces, which the font lacks. */
const rareSpaces = /[\u2000-\u200a\u202f\u205f]/g;

export function createDocumentFormat(language: Language): DocumentFormat {
  const locale = language.replace('_', '-');
  const plain = new Intl.NumberFormat(locale);
  const date = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    return (time: number): string => format.format(time * 1000).replace(rareSpaces, ' ');
  };
  return {
    number: (value) => plain.format(value),
    money: (value, currency) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code', maximumFractionDigits: 6 })
        .format(value)
        .replace(rareSpaces, ' '),
    percent: (value) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 }).format(value / 100),
    day: date({ dateStyle: 'long' }),
    moment: date({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' }),
    month: date({ year: 'numeric', month: 'long' }),
  };
}

export type { PdfColumn, PdfDocument, PdfTable } from './pdf-document.ts';

export { toPrintable, toPrintableLines } from './pdf-document.ts';

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
