/**
 * Runs a batch at its vendor, at the vendor's batch price: holds and translates each line, submits the batch, polls
 * it, and settles each line with its response. Lines that the vendor does not accept are sent one by one.
 * https://platform.openai.com/docs/guides/batch
 */
import {
  findVendorBatch,
  planBatchCancellation,
  planBatchCreation,
  planBatchList,
  planBatchPoll,
  planFileDeletion,
  readNextBatchCursor,
  readVendorBatch,
  type VendorBatch,
} from '@switchyard/relay';
import type { Context } from '../context.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import { runInBackground } from '../platform/log.ts';
import { createFile, filePath, removeFiles, temporaryName } from './batch-files.ts';
import type { BatchRun } from './batch-relay-interface.ts';
import {
  type BatchRow,
  forEachUnansweredRequest,
  hasLineRequests,
  isBatchOpen,
  recordLineRequest,
  recordVendor,
} from './batch-store.ts';
import { createLineRun, createLineSource, forEachLine, type LineRun } from './for-each-line.ts';
import { type InputLine, processLine, readInputLines, serializeRequestLine } from './input-lines.ts';
import {
  isTemporaryError,
  LineOutput,
  storeResponseWithRetry,
  temporaryVendorErrorCodes,
  WAIT_MAX_SECONDS,
  waitForRetry,
} from './store-line-response.ts';
import {
  callVendor,
  callVendorBatch,
  ignoreUnreachable,
  isBusy,
  isOutcomeUnknown,
  retryWhileBusy,
  type VendorRun,
} from './vendor-batch-api-calls.ts';
import { downloadFile, uploadFile, VendorInputFile } from './vendor-files.ts';
import { VendorResponses } from './vendor-response-index.ts';

type VendorRunContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log' | 'outbound'>;

/** Milliseconds to keep polling a vendor that doesn't end a cancelled or late batch. */
const VENDOR_GRACE_MS = 3_600_000;
/** Maximum number of pages, of a hundred batches each, newest first, in the vendor's list. */
const PAGES_MAX = 50;

/** Cleanup to be called once the responses are written. */
type Cleanup = () => void;

const noCleanup: Cleanup = () => {};

/** @returns undefined when the lines without a response have to be sent one by one */
export async function runAtVendor(
  ctx: VendorRunContext,
  queuedBatch: BatchRow,
  run: BatchRun,
): Promise<Cleanup | undefined> {
  const batch = await assignVendor(ctx, queuedBatch, run);
  if (batch === undefined) return undefined;
  if (ctx.clock.now() >= getVendorDeadline(batch)) return finishLateBatch(ctx, batch, run);
  const there = { batch, account: await run.relay.findAccount(batch) };
  const id = batch.upstream_id ?? (await submitBatch(ctx, there, run));
  const ended = id === undefined || !run.ownsLease() ? undefined : await pollUntilEnded(ctx, there, id, run);
  if (!run.ownsLease()) return noCleanup;
  if (ended?.state === 'ended') return collectResponses(ctx, there, ended, run);
  ctx.log.warn({ batch: batch.id, channel_id: batch.channel_id }, 'a provider did not accept a batch');
  await forEachUnansweredRequest(ctx, batch.id, (requestId) => run.relay.release(requestId));
  await recordVendor(ctx, batch.id, NO_VENDOR_COLUMNS);
  return undefined;
}

export const NO_VENDOR_COLUMNS = {
  channel_id: null,
  channel_key_id: null,
  group_symbol: null,
  vendor_price: null,
  upstream_id: null,
};

const getVendorDeadline = ({ expires_at }: BatchRow): number => expires_at * 1000 + VENDOR_GRACE_MS;

/**
 * Polls the vendor after the deadline: the results may be ready if this server was down. Only a vendor that says that
 * the batch has not ended forfeits them; one that cannot be reached is polled for another while.
 */
async function finishLateBatch(ctx: VendorRunContext, batch: BatchRow, run: BatchRun): Promise<Cleanup> {
  const until = ctx.clock.now() + VENDOR_GRACE_MS;
  for (let waitSeconds = 1; run.ownsLease(); waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    try {
      const there = { batch, account: await run.relay.findAccount(batch) };
      const found = await pollLateBatch(ctx, there, run);
      if (found?.state === 'ended') return await collectResponses(ctx, there, found, run);
      ctx.log.error({ batch: batch.id }, 'a provider did not finish a batch in time');
      return noCleanup;
    } catch (error) {
      ctx.log.error({ err: error, batch: batch.id }, 'the responses of a batch could not be collected in time');
    }
    if (ctx.clock.now() >= until) return noCleanup;
    await waitForRetry(ctx.clock, waitSeconds, run.stopped);
  }
  return noCleanup;
}

/** @throws when the vendor did not report the batch's state */
async function pollLateBatch(ctx: VendorRunContext, there: VendorRun, run: BatchRun): Promise<VendorBatch | undefined> {
  const { upstream_id: id } = there.batch;
  if (id === null) return undefined;
  const { status, json } = await callVendor(ctx, there, planBatchPoll(there.account.target, id), run);
  if (isBusy({ status, json })) throw new Error(`the provider did not report a batch (HTTP ${status})`);
  return status < 300 ? readVendorBatch(json) : undefined;
}

/**
 * Returns the batch with the vendor account that was selected before, or is selected now.
 * @returns undefined when the lines are sent one by one
 */
async function assignVendor(ctx: VendorRunContext, batch: BatchRow, run: BatchRun): Promise<BatchRow | undefined> {
  if (batch.channel_id !== null) return batch;
  const isBegun = await hasLineRequests(ctx, batch.id);
  const vendor = isBegun ? undefined : await chooseVendor(ctx, batch, run);
  // Another node may have chosen meanwhile.
  if (vendor === undefined || !run.ownsLease()) return undefined;
  const { channelId: channel_id, keyId: channel_key_id, groupSymbol: group_symbol, price } = vendor;
  const chosen = { channel_id, channel_key_id, group_symbol, vendor_price: JSON.stringify(price), upstream_id: null };
  await recordVendor(ctx, batch.id, chosen);
  return { ...batch, ...chosen };
}

/**
 * Selects the vendor by the first readable line, so that an unreadable one doesn't forfeit the vendor's batch price.
 */
function chooseVendor(ctx: VendorRunContext, batch: BatchRow, { relay, fileLimiter }: BatchRun) {
  const source = createLineSource(ctx, batch, relay);
  return fileLimiter.run(batch.user_id, async () => {
    for await (const line of readInputLines(source.path, ctx.config.relayBodyMaxBytes)) {
      const choice = await processLine(source, line, (content) =>
        relay.selectVendor(batch, serializeRequestLine(line, content).body),
      );
      if (choice !== 'unreadable') return choice;
    }
    return undefined;
  });
}

/** @returns the vendor's id of the batch; undefined when it is refused, or cancelled */
async function submitBatch(ctx: VendorRunContext, there: VendorRun, run: BatchRun): Promise<string | undefined> {
  const { batch } = there;
  const isBegun = await hasLineRequests(ctx, batch.id);
  // An earlier process may have died between its submission and the record of it.
  const before = isBegun ? await findSubmittedBatch(ctx, there, run) : undefined;
  const id = before?.id ?? (await uploadAndSubmit(ctx, there, run));
  if (id !== undefined) await recordVendor(ctx, batch.id, { ...batch, upstream_id: id });
  return id;
}

async function findSubmittedBatch(
  ctx: VendorRunContext,
  there: VendorRun,
  run: BatchRun,
): Promise<VendorBatch | undefined> {
  const { batch, account } = there;
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { status, json } = await callVendor(ctx, there, planBatchList(account.target, after), run);
    if (status !== 200) throw new Error(`the provider did not list its batches (HTTP ${status})`);
    const found = findVendorBatch(json, batch.id);
    if (found !== undefined) return found;
    after = readNextBatchCursor(json);
    if (after === undefined) return undefined;
  }
  return undefined;
}

async function uploadAndSubmit(ctx: VendorRunContext, there: VendorRun, run: BatchRun): Promise<string | undefined> {
  const { batch } = there;
  const name = temporaryName(`${batch.id}.vendor`);
  const sheet = new VendorInputFile(await createFile(ctx, name));
  try {
    const lines = createLineRun(ctx, run, batch.expires_at * 1000);
    await forEachLine(ctx, batch, lines, (line, before) =>
      prepareVendorLine(ctx, there, line, { ...run, ...lines, previousRequestId: before, sheet }),
    );
    await sheet.close();
    const { url } = sheet;
    if (lines.isStopped() || url === undefined) return undefined;
    return await sendSubmission(ctx, there, { path: filePath(ctx, name), url }, { ...run, ...lines });
  } finally {
    await sheet.discard();
  }
}

/** @returns the vendor's id of the batch; undefined when the vendor refuses it, or it is cancelled */
async function sendSubmission(
  ctx: VendorRunContext,
  there: VendorRun,
  sheet: { path: string; url: string },
  run: BatchRun & LineRun,
): Promise<string | undefined> {
  const { batch, account } = there;
  const sent = await retryWhileBusy(ctx, run, () =>
    ignoreUnreachable(run, uploadFile(ctx, account, sheet.path, run.stopped)),
  );
  if (sent?.fileId === undefined || run.isStopped()) return undefined;
  const terms = { fileId: sent.fileId, endpoint: sheet.url, name: batch.id };
  const ordered = await retryWhileBusy(ctx, run, async () => {
    const created = await ignoreUnreachable(run, callVendor(ctx, there, planBatchCreation(account.target, terms), run));
    if (created !== undefined && !isOutcomeUnknown(created))
      return { ...created, id: readVendorBatch(created.json)?.id };
    // The vendor may have accepted it, and must not get it twice.
    const found = await ignoreUnreachable(run, findSubmittedBatch(ctx, there, run));
    return found === undefined ? created : { status: 200, json: undefined, id: found.id };
  });
  if (ordered === undefined || isOutcomeUnknown(ordered)) throw new Error('the provider did not confirm a batch');
  if (ordered.status >= 300) return undefined;
  if (!('id' in ordered) || ordered.id === undefined) throw new Error('the provider returned no batch ID');
  return ordered.id;
}

interface LinePreparation extends BatchRun, LineRun {
  /** Request by which the line was prepared before. */
  previousRequestId: string | undefined;
  sheet: VendorInputFile;
}

async function prepareVendorLine(
  ctx: VendorRunContext,
  { batch }: VendorRun,
  line: InputLine,
  run: LinePreparation,
): Promise<void> {
  const { sheet } = run;
  const source = createLineSource(ctx, batch, run.relay);
  let { previousRequestId } = run;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    // Never the id of an earlier run, under which another node may still hold or release funds.
    const requestId = newRequestId();
    const prepared = await run.concurrencyLimiter.run(batch.user_id, async () => {
      if (run.isStopped()) return undefined;
      const { customId, body } = await processLine(source, line, (content) => serializeRequestLine(line, content));
      if (run.isStopped()) return undefined;
      if (previousRequestId !== undefined) await run.relay.release(previousRequestId);
      if (await recordLineRequest(ctx, batch.id, { line: line.number, requestId, previousRequestId })) {
        previousRequestId = requestId;
        const ready = await run.relay.prepareLine(batch, { requestId, body });
        if ('url' in ready && run.ownsLease()) await sheet.add(requestId, ready);
        return { customId, ready };
      }
      run.stop();
      return undefined;
    });
    if (prepared === undefined) return;
    const { customId, ready } = prepared;
    if (!run.ownsLease()) {
      await run.relay.release(requestId);
      return run.stop();
    }
    if ('url' in ready) {
      if (sheet.isFull) run.stop();
      return;
    }
    const { refusal } = ready;
    if (!isTemporaryError(refusal)) {
      const output = new LineOutput(ctx, batch, { line: line.number, requestId, customId }, run.stopped);
      return storeResponseWithRetry(ctx, batch, await output.format(source, refusal), run.stopped);
    }
    await waitForRetry(ctx.clock, Math.max(waitSeconds, refusal.retryAfterSeconds), run.stopSignal);
    if (run.isStopped()) return;
  }
}

/** @returns undefined when the process stops first */
async function pollUntilEnded(
  ctx: VendorRunContext,
  there: VendorRun,
  id: string,
  run: BatchRun,
): Promise<VendorBatch | undefined> {
  const { batch, account } = there;
  let isCancelRequested = false;
  for (let waitSeconds = 1; run.ownsLease(); waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const found = await callVendorBatch(ctx, there, planBatchPoll(account.target, id), run);
    if (found !== undefined && found.state !== 'running') return found;
    const isUnwanted = run.cancelled.aborted || ctx.clock.now() >= batch.expires_at * 1000;
    if (!isCancelRequested && (isUnwanted || !(await isBatchOpen(ctx, batch.id)))) {
      isCancelRequested =
        (await callVendorBatch(ctx, there, planBatchCancellation(account.target, id), run)) !== undefined;
      if (isCancelRequested) waitSeconds = 1;
    }
    if (ctx.clock.now() >= getVendorDeadline(batch)) throw new Error('the provider did not finish a batch in time');
    // After a cancellation only a shutdown ends the wait, so that a vendor that ignores it is not called without a
    // pause.
    const waits = run.cancelled.aborted ? [run.stopped] : [run.stopped, run.cancelled];
    await waitForRetry(ctx.clock, waitSeconds, AbortSignal.any(waits));
  }
  return undefined;
}

/** Charges each response as if it had just arrived. */
function collectResponses(
  ctx: VendorRunContext,
  there: VendorRun,
  ended: VendorBatch,
  run: BatchRun,
): Promise<Cleanup> {
  const { batch, account } = there;
  return run.collectionLimiter.run(batch.user_id, async () => {
    if (!run.ownsLease()) return noCleanup;
    const names = ended.outputFileIds.map((id, nth) => ({ id, name: temporaryName(`${batch.id}.answers-${nth}`) }));
    const wanted = new Set<string>();
    await forEachUnansweredRequest(ctx, batch.id, async (requestId) => void wanted.add(requestId));
    const answers = new VendorResponses(wanted, (work) => run.relay.runPaced(batch.user_id, work));
    try {
      // The vendor's files may be gone for a batch that was collected before its process died.
      if (wanted.size > 0)
        for (const file of names) {
          const path = await downloadFile(ctx, account, file, run.stopped);
          await run.fileLimiter.run(batch.user_id, () => answers.add(path, run.stopped));
        }
      const until = Math.max(getVendorDeadline(batch), ctx.clock.now() + VENDOR_GRACE_MS);
      const lines = createLineRun(ctx, run, until, false);
      await forEachLine(ctx, batch, lines, async (line, requestId) => {
        if (requestId !== undefined && answers.has(requestId))
          await settleLine(ctx, there, { line, requestId, answers }, { ...run, ...lines });
      });
    } finally {
      await answers.close();
      const paths = names.map(({ name }) => name);
      await removeFiles(ctx, paths);
    }
    return () =>
      runInBackground(ctx.log, 'remove the files of a batch at its provider', async () => {
        for (const id of [ended.inputFileId, ...ended.outputFileIds])
          if (id !== undefined) await callVendor(ctx, there, planFileDeletion(account.target, id), run);
      });
  });
}

interface VendorLineResponse {
  line: InputLine;
  requestId: string;
  answers: VendorResponses;
}

async function settleLine(
  ctx: VendorRunContext,
  { batch }: VendorRun,
  { line, requestId, answers }: VendorLineResponse,
  run: BatchRun & LineRun,
): Promise<void> {
  const { concurrencyLimiter, relay, stopped, stopSignal } = run;
  const source = createLineSource(ctx, batch, relay);
  for (let waitSeconds = 1; !run.isStopped(); waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const settle = async () => {
      const vendorResponse = await answers.read(requestId);
      // Without it, the line would be sent to its vendor again.
      if (vendorResponse === undefined) return undefined;
      const { customId, body } = await processLine(source, line, (content) => serializeRequestLine(line, content));
      const output = new LineOutput(ctx, batch, { line: line.number, requestId, customId }, stopped);
      const { storeLarge: storeLargeBody } = output;
      const outcome = { requestId, body, isPaid: false, vendorResponse, storeLargeBody };
      return { output, answer: await relay.sendRequest(batch, outcome) };
    };
    const settled = await concurrencyLimiter.run(batch.user_id, () => answers.hold(requestId, settle));
    if (settled === undefined) return;
    const { output, answer } = settled;
    if (!isTemporaryError(answer, temporaryVendorErrorCodes)) {
      await storeResponseWithRetry(ctx, batch, await output.format(source, answer), stopped);
      // Releases the hold of a response that cannot be charged.
      return relay.release(requestId);
    }
    await waitForRetry(ctx.clock, Math.max(waitSeconds, answer.retryAfterSeconds), stopSignal);
  }
}
