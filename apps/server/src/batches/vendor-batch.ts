/**
 * A batch that runs at its vendor, at the vendor's price of batches: hold each line and make it ready → order → wait → settle
 * each line with its answer. What the vendor does not take is asked line by line.
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
  type VendorBatchRequest,
} from '@switchyard/relay';
import type { Context } from '../context.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import { runInBackground } from '../platform/log.ts';
import type { TaskAccount } from '../tasks/tasks.ts';
import { createFile, filePath, removeFiles, temporaryName } from './batch-files.ts';
import type { BatchRun } from './batch-relay.ts';
import {
  type BatchRow,
  forEachUnansweredRequest,
  isBatchOpen,
  readLineRequests,
  recordLineRequest,
  recordVendor,
} from './batch-store.ts';
import { createLineRun, forEachLine, type LineRun } from './for-each-line.ts';
import { type InputLine, parseRequestLine, readInputLines } from './input-lines.ts';
import {
  formatLineResponse,
  isTemporaryError,
  storeResponseWithRetry,
  temporaryVendorErrorCodes,
  WAIT_MAX_SECONDS,
  waitForRetry,
} from './store-line-response.ts';
import { downloadFile, uploadFile, type VendorResponse, VendorResponses } from './vendor-file.ts';
import { VendorInputFile } from './vendor-input-file.ts';
import { ignoreUnreachable, isOutcomeUnknown, retryWhileBusy } from './vendor-retry.ts';

type VendorRunContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log' | 'outbound'>;

const CALL_TIMEOUT_MS = 30_000;
/** Milliseconds to keep asking a vendor that doesn't end a batch that it was told to end. */
const VENDOR_GRACE_MS = 3_600_000;
/** Maximum number of pages, of a hundred batches each, newest first, in the vendor's list. */
const PAGES_MAX = 50;

/** A batch and where it runs. */
interface VendorRun {
  batch: BatchRow;
  account: TaskAccount;
}

/** Cleanup to be called once the responses are written. */
type Cleanup = () => void;

const noCleanup: Cleanup = () => {};

/** @returns undefined when the lines that have no answer are to be asked one by one */
export async function runAtVendor(ctx: VendorRunContext, asked: BatchRow, run: BatchRun): Promise<Cleanup | undefined> {
  const batch = await assignVendor(ctx, asked, run);
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
  upstream_id: null,
  group_symbol: null,
};

const getVendorDeadline = ({ expires_at }: BatchRow): number => expires_at * 1000 + VENDOR_GRACE_MS;

/** It is looked for once more: its answers may be there since long, if it was this server that was away. */
async function finishLateBatch(ctx: VendorRunContext, batch: BatchRow, run: BatchRun): Promise<Cleanup> {
  const { upstream_id: id } = batch;
  try {
    const there = { batch, account: await run.relay.findAccount(batch) };
    const found =
      id === null ? undefined : await callVendorBatch(ctx, there, planBatchPoll(there.account.target, id), run);
    if (found?.state === 'ended') return await collectResponses(ctx, there, found, run);
    ctx.log.error({ batch: batch.id }, 'a provider did not finish a batch in time');
  } catch (error) {
    ctx.log.error({ err: error, batch: batch.id }, 'the responses of a batch could not be collected in time');
  }
  return noCleanup;
}

/**
 * Returns the batch with the vendor account that was chosen before, or is chosen now.
 * @returns undefined where the lines are requested one by one
 */
async function assignVendor(ctx: VendorRunContext, batch: BatchRow, run: BatchRun): Promise<BatchRow | undefined> {
  if (batch.channel_id !== null) return batch;
  const isBegun = (await readLineRequests(ctx, batch.id)).size > 0;
  const vendor = isBegun ? undefined : await chooseVendor(ctx, batch, run);
  if (vendor === undefined) return undefined;
  const { channelId: channel_id, keyId: channel_key_id, groupSymbol: group_symbol } = vendor;
  const chosen = { channel_id, channel_key_id, group_symbol, upstream_id: null };
  await recordVendor(ctx, batch.id, chosen);
  return { ...batch, ...chosen };
}

/** Chooses by the first line that can be read: one that cannot must not keep the others from the vendor's price. */
async function chooseVendor(ctx: VendorRunContext, batch: BatchRow, { relay }: BatchRun) {
  const path = filePath(ctx, batch.input_file_id);
  for await (const line of readInputLines(path, ctx.config.relayBodyMaxBytes)) {
    const choice = relay.selectVendor(batch, serializeBody(line));
    if (choice !== 'unreadable') return choice;
  }
  return undefined;
}

const serializeBody = (line: InputLine): Buffer => Buffer.from(JSON.stringify(parseRequestLine(line).body));

/** @returns the vendor's name of the batch; undefined when it is not taken, or not wanted any more */
async function submitBatch(ctx: VendorRunContext, there: VendorRun, run: BatchRun): Promise<string | undefined> {
  const { batch } = there;
  const isBegun = (await readLineRequests(ctx, batch.id)).size > 0;
  // An earlier process may have died between its order and the note of it.
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

/** @returns the vendor's name of the batch; undefined when the vendor refuses it, or it is not wanted any more */
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
    const made = await ignoreUnreachable(run, callVendor(ctx, there, planBatchCreation(account.target, terms), run));
    if (made !== undefined && !isOutcomeUnknown(made)) return { ...made, id: readVendorBatch(made.json)?.id };
    // The vendor may have taken it, and must not get it twice.
    const found = await ignoreUnreachable(run, findSubmittedBatch(ctx, there, run));
    return found === undefined ? made : { status: 200, json: undefined, id: found.id };
  });
  if (ordered === undefined || isOutcomeUnknown(ordered)) throw new Error('the provider did not confirm a batch');
  if (ordered.status >= 300) return undefined;
  if (!('id' in ordered) || ordered.id === undefined) throw new Error('the provider returned no batch ID');
  return ordered.id;
}

interface LinePreparation extends BatchRun, LineRun {
  /** The request by which the line was made ready before. */
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
  let { previousRequestId } = run;
  const body = serializeBody(line);
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    // Never the id of an earlier run, which another node may still hold under, or give back.
    const requestId = newRequestId();
    const ready = await run.concurrencyLimiter.run(batch.user_id, async () => {
      if (run.isStopped()) return undefined;
      if (previousRequestId !== undefined) await run.relay.release(previousRequestId);
      if (await recordLineRequest(ctx, batch.id, { line: line.number, requestId, previousRequestId })) {
        previousRequestId = requestId;
        return run.relay.prepareLine(batch, { requestId, body });
      }
      run.stop();
      return undefined;
    });
    if (ready === undefined) return;
    if (!run.ownsLease()) {
      await run.relay.release(requestId);
      return run.stop();
    }
    if ('url' in ready) {
      await sheet.add(requestId, ready);
      if (sheet.isFull) run.stop();
      return;
    }
    const { refusal } = ready;
    if (!isTemporaryError(refusal))
      return storeResponseWithRetry(
        ctx,
        batch,
        formatLineResponse(line.number, requestId, parseRequestLine(line), refusal),
        run.stopped,
      );
    await waitForRetry(ctx.clock, Math.max(waitSeconds, refusal.retryAfterSeconds), run.stopSignal);
    if (run.isStopped()) return;
  }
}

/** @returns undefined when the process stops before */
async function pollUntilEnded(
  ctx: VendorRunContext,
  there: VendorRun,
  id: string,
  run: BatchRun,
): Promise<VendorBatch | undefined> {
  const { batch, account } = there;
  let isToldToEnd = false;
  for (let waitSeconds = 1; run.ownsLease(); waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const found = await callVendorBatch(ctx, there, planBatchPoll(account.target, id), run);
    if (found !== undefined && found.state !== 'running') return found;
    const isUnwanted = run.cancelled.aborted || ctx.clock.now() >= batch.expires_at * 1000;
    if (!isToldToEnd && (isUnwanted || !(await isBatchOpen(ctx, batch.id)))) {
      isToldToEnd = (await callVendorBatch(ctx, there, planBatchCancellation(account.target, id), run)) !== undefined;
      if (isToldToEnd) waitSeconds = 1;
    }
    if (ctx.clock.now() >= getVendorDeadline(batch)) throw new Error('the provider did not finish a batch in time');
    // One that does not want to be told is not told on and on without a pause.
    const waits = run.cancelled.aborted ? [run.stopped] : [run.stopped, run.cancelled];
    await waitForRetry(ctx.clock, waitSeconds, AbortSignal.any(waits));
  }
  return undefined;
}

/** @returns undefined when the vendor did not say how the batch is */
async function callVendorBatch(
  ctx: VendorRunContext,
  there: VendorRun,
  question: VendorBatchRequest,
  run: BatchRun,
): Promise<VendorBatch | undefined> {
  try {
    const { status, json } = await callVendor(ctx, there, question, run);
    return status < 300 ? readVendorBatch(json) : undefined;
  } catch (error) {
    if (!run.stopped.aborted)
      ctx.log.warn({ err: error, batch: there.batch.id }, 'the status of a batch could not be fetched');
    return undefined;
  }
}

/** Each answer is charged for as if it had just come. */
async function collectResponses(
  ctx: VendorRunContext,
  there: VendorRun,
  ended: VendorBatch,
  run: BatchRun,
): Promise<Cleanup> {
  const { batch, account } = there;
  const names = ended.outputFileIds.map((id, nth) => ({
    id,
    name: temporaryName(`${batch.id}.answers-${nth}`),
  }));
  const asked = await readLineRequests(ctx, batch.id);
  const wanted = new Set([...asked.values()].filter((requestId) => requestId !== null));
  const answers = new VendorResponses(wanted);
  try {
    // Those of a batch that was collected before its process died may be gone.
    if (wanted.size > 0)
      for (const file of names) await answers.add(await downloadFile(ctx, account, file, run.stopped));
    const until = Math.max(getVendorDeadline(batch), ctx.clock.now() + VENDOR_GRACE_MS);
    const lines = createLineRun(ctx, run, until, false);
    await forEachLine(ctx, batch, lines, async (line, requestId) => {
      const answered = requestId === undefined ? undefined : await answers.read(requestId);
      if (requestId !== undefined && answered !== undefined)
        await settleLine(ctx, there, { line, requestId, answered }, { ...run, ...lines });
    });
  } finally {
    await answers.close();
    await removeFiles(
      ctx,
      names.map(({ name }) => name),
    );
  }
  return () =>
    runInBackground(ctx.log, 'remove the files of a batch at its provider', async () => {
      for (const id of [ended.inputFileId, ...ended.outputFileIds])
        if (id !== undefined) await callVendor(ctx, there, planFileDeletion(account.target, id), run);
    });
}

interface VendorLineResponse {
  line: InputLine;
  requestId: string;
  answered: VendorResponse;
}

async function settleLine(
  ctx: VendorRunContext,
  { batch }: VendorRun,
  { line, requestId, answered }: VendorLineResponse,
  run: BatchRun & LineRun,
): Promise<void> {
  const { concurrencyLimiter, relay, stopped, stopSignal } = run;
  const asked = { requestId, body: serializeBody(line), isPaid: false, vendorResponse: answered };
  for (let waitSeconds = 1; !run.isStopped(); waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const answer = await concurrencyLimiter.run(batch.user_id, () => relay.sendRequest(batch, asked));
    if (!isTemporaryError(answer, temporaryVendorErrorCodes)) {
      await storeResponseWithRetry(
        ctx,
        batch,
        formatLineResponse(line.number, requestId, parseRequestLine(line), answer),
        stopped,
      );
      // Of an answer that nobody could be charged for.
      return relay.release(requestId);
    }
    await waitForRetry(ctx.clock, Math.max(waitSeconds, answer.retryAfterSeconds), stopSignal);
  }
}

function callVendor(
  ctx: VendorRunContext,
  { account }: VendorRun,
  { body, ...rest }: VendorBatchRequest,
  { stopped }: BatchRun,
) {
  return ctx.outbound.fetchJson({
    ...rest,
    ...(body === undefined ? {} : { body }),
    proxy: account.proxy,
    timeoutMs: CALL_TIMEOUT_MS,
    signal: stopped,
  });
}
