/**
 * `/v1/files` and `/v1/batches` for keys that are not pinned to a channel; with a pinned key, the vendor's own
 * endpoints are called. https://platform.openai.com/docs/api-reference/batch
 */
import { pipeline } from 'node:stream/promises';
import { describeValue, isObject } from '@switchyard/relay/json';
import type { Kysely } from 'kysely';
import {
  type Batches,
  type BatchFileRow,
  type BatchRow,
  countBatches,
  FILE_MAX_BYTES,
  FileMissingError,
  filePath,
  findBatch,
  findFile,
  getRemainingFileBytes,
  listBatchPage,
  listFilePage,
  MEGABYTE,
  openFile,
  parseExpiresAfter,
  receiveFile,
  removeFile,
} from '../../batches/batches.ts';
import type { Context } from '../../context.ts';
import { DiskFullError } from '../../platform/disk-space.ts';
import { REPORT_ADVICE } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import { type PassthroughParts, servePassthrough } from '../endpoints/passthrough.ts';
import type { EndpointRequest } from '../endpoints/read-own-tasks.ts';
import { untrustedContentHeaders } from '../http/client-response.ts';
import { buildListPage, parsePage } from '../http/openai-list-page.ts';
import { RelayError } from '../http/relay-error.ts';
import { describeUnknownPath } from '../http/relay-paths.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { readSmallBody } from '../limits/read-request-body.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitAddressParts, admitEndpointRequest } from '../pipeline/admit-endpoint-requests.ts';
import { sendError } from '../pipeline/send-response.ts';
import { watchRights } from '../pipeline/stop-unauthorized-requests.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

export interface BatchEndpointsParts extends PassthroughParts, AdmitAddressParts {}

const batchPath = /^\/v1\/(files|batches)(?:\/([\w-]{1,100}))?(?:\/(content|cancel))?$/;
const endpoints = new Set([
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
]);
const OPEN_MAX = 100;
const KEPT_MAX = 10_000;
/** OpenAI allows 10,000 per page, which would block other requests for too long. */
const FILES_PAGE = 1_000;
const BATCHES_PAGE_MAX = 100;
const BATCHES_PAGE = 20;
/** Bytes that a multipart form may have besides the file itself. */
const FORM_BYTES = MEGABYTE;
const SILENCE_MS = 60_000;
/** https://www.rfc-editor.org/rfc/rfc4918#section-11.5 */
const INSUFFICIENT_STORAGE = 507;

interface AdmittedRequest extends EndpointRequest {
  userId: number;
  principal: Principal;
  id: string;
}

interface BatchRouteRequest extends EndpointRequest {
  /** @throws RelayError */
  identify(): Principal | Promise<Principal>;
}

export interface BatchEndpoints {
  serves(path: string): boolean;
  /** Responds in every case; never rejects. */
  handle(asked: BatchRouteRequest): Promise<void>;
}

export function createBatchEndpoints(ctx: Context, parts: BatchEndpointsParts, batches: Batches): BatchEndpoints {
  const calls: Readonly<Record<string, (call: AdmittedRequest) => Promise<unknown>>> = {
    'POST files': (call) => uploadFile(ctx, call),
    'GET files': (call) => listFiles(ctx, call),
    'GET files/': async (call) => fileView(await requireFile(ctx, call)),
    'DELETE files/': (call) => deleteFile(ctx, call),
    'GET files/content': (call) => sendContent(ctx, call),
    'POST batches': (call) => createBatch(ctx, batches, call),
    'GET batches': (call) => listBatches(ctx, call),
    'GET batches/': async (call) => batchView(await requireBatch(ctx, call)),
    'POST batches/cancel': (call) => cancelBatch(ctx, batches, call),
  };

  return {
    serves: (path) => batchPath.test(path),
    async handle(asked) {
      const { client, message, path, address } = asked;
      let slot: ConcurrencySlot | undefined;
      try {
        refuseOverloaded(parts.overload);
        const principal = await asked.identify();
        if (principal.pinnedChannelId !== undefined)
          return await servePassthrough(parts, { ...asked, identify: () => principal });
        const [, what, id, action = ''] = batchPath.exec(path) ?? [];
        const call = calls[`${message.method} ${what}${id === undefined ? '' : `/${action}`}`];
        if (call === undefined) throw new RelayError('not_found', describeUnknownPath(message.method ?? '', path));
        slot = await admitEndpointRequest(parts, principal, address, principal);
        const stopWatching = watchRights(parts, { client, principal, address });
        const answer = await call({ ...asked, principal, userId: principal.user.id, id: id ?? '' }).finally(
          stopWatching,
        );
        if (client.stopReason !== undefined) throw client.stopReason;
        if (answer === undefined) return;
        const json = JSON.stringify(answer);
        slot.growTo(Buffer.byteLength(json));
        client.send(200, 'application/json; charset=utf-8', json);
      } catch (error) {
        // Reads and discards the rest of a refused file; otherwise the client could not read the refusal.
        message.resume();
        if (client.hasSentHead) client.disconnect();
        else sendError(parts.log, asked, error);
      } finally {
        slot?.release(client, 'memory and count');
      }
    },
  };
}

async function uploadFile(ctx: Context, { message, principal, userId }: AdmittedRequest) {
  const tooLarge = (maxBytes: number): RelayError =>
    new RelayError(
      'request_too_large',
      maxBytes < FILE_MAX_BYTES
        ? describeRoom(ctx, maxBytes)
        : `A batch file can have at most ${FILE_MAX_BYTES} bytes.`,
    );
  if (Number(message.headers['content-length'] ?? 0) > FILE_MAX_BYTES + FORM_BYTES) throw tooLarge(FILE_MAX_BYTES);
  const file = await receiveFile(ctx, {
    userId,
    apiKeyId: principal.key?.id ?? null,
    contentType: message.headers['content-type'] ?? '',
    body: (message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator](),
    tooLarge,
  }).catch((error: unknown) => {
    if (!(error instanceof DiskFullError)) throw error;
    const message = `The server has no disk space for this file. Retry in a minute. ${REPORT_ADVICE}`;
    throw new RelayError('storage_unavailable', message, { status: INSUFFICIENT_STORAGE, cause: error });
  });
  return fileView(file);
}

const describeRoom = ({ settings }: Context, bytes: number): string =>
  `Your files can use ${settings.batchMegabytesPerUser} MB in total, and ${bytes} bytes are left. Delete some files.`;

async function listFiles(ctx: Context, { userId, query }: AdmittedRequest) {
  const page = parsePage(query, FILES_PAGE, FILES_PAGE);
  const purpose = query.get('purpose') ?? undefined;
  if (purpose !== undefined && purpose !== 'batch' && purpose !== 'batch_output') return buildListPage([], page);
  const rows = await listFilePage(ctx, userId, purpose, page);
  return buildListPage(rows.map(fileView), page);
}

async function requireFile(ctx: Context, { userId, id }: AdmittedRequest): Promise<BatchFileRow> {
  const file = await findFile(ctx, userId, id);
  if (file === undefined) throw new RelayError('not_found', `There is no file ${id}.`);
  return file;
}

async function deleteFile(ctx: Context, call: AdmittedRequest) {
  const { id } = await requireFile(ctx, call);
  if (!(await removeFile(ctx, call.userId, id)))
    throw new RelayError(
      'invalid_request',
      'A running batch still uses this file. Delete it after the batch has ended.',
    );
  return { id, object: 'file', deleted: true };
}

/** Sends a file's untrusted content with headers that keep a browser from executing it. */
async function sendContent(ctx: Context, call: AdmittedRequest): Promise<undefined> {
  const { client, response, requestId } = call;
  const { id, bytes } = await requireFile(ctx, call);
  const content = await openFile(filePath(ctx, id)).catch((error: unknown) => {
    if (!(error instanceof FileMissingError)) throw error;
    throw new RelayError('not_found', `The content of file ${id} is no longer available.`, { cause: error });
  });
  if (client.stopReason !== undefined) {
    content.destroy();
    throw client.stopReason;
  }
  response.setTimeout(SILENCE_MS, () => response.destroy());
  response.writeHead(200, {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    ...untrustedContentHeaders,
    'content-type': 'application/octet-stream',
    'content-length': bytes,
  });
  client.onLeave = () => client.disconnect();
  await pipeline(content, response);
  return undefined;
}

async function createBatch(ctx: Context, batches: Batches, { message, principal, userId, address }: AdmittedRequest) {
  const { input_file_id, endpoint, completion_window, metadata, output_expires_after } = await readSmallBody(message);
  const { key } = principal;
  if (key === undefined)
    throw new RelayError('invalid_api_key', 'A batch requires a token. Send its key as "Authorization: Bearer KEY".');
  if (typeof endpoint !== 'string' || !endpoints.has(endpoint))
    throw invalid('endpoint', `endpoint is ${describeValue(endpoint)}. Use one of ${[...endpoints].join(', ')}.`);
  if (completion_window !== '24h')
    throw invalid('completion_window', `completion_window is ${describeValue(completion_window)}. Use "24h".`);
  if (!isMetadata(metadata))
    throw invalid(
      'metadata',
      'metadata can have at most 16 keys of up to 64 characters, with string values of up to 512 characters.',
    );
  const file = typeof input_file_id === 'string' ? await findFile(ctx, userId, input_file_id) : undefined;
  if (file?.purpose !== 'batch')
    throw invalid('input_file_id', 'input_file_id must be the ID of one of your files with the purpose "batch".');
  const asked = {
    user_id: userId,
    api_key_id: key.id,
    address,
    endpoint,
    input_file_id: file.id,
    output_seconds: isObject(output_expires_after)
      ? parseExpiresAfter(output_expires_after, 'output_expires_after')
      : null,
    metadata: metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
  };
  const batch = await batches.create(asked, async (trx) => {
    await checkBatchCount(ctx, trx, userId);
    await checkOutputRoom(ctx, trx, userId);
  });
  return batchView(batch);
}

/** @throws RelayError */
async function checkBatchCount({ settings }: Context, db: Kysely<Schema>, userId: number): Promise<void> {
  const { open, kept } = await countBatches(db, userId);
  if (open >= OPEN_MAX)
    throw new RelayError(
      'rate_limit_exceeded',
      `You have reached the limit of ${OPEN_MAX} open batches. Retry when one ends.`,
    );
  if (kept >= KEPT_MAX)
    throw new RelayError(
      'rate_limit_exceeded',
      `You have reached the limit of ${KEPT_MAX} batches. A batch is removed after ${settings.batchDays} days.`,
    );
}

/**
 * Checks the room for output files: a user could fill the disk with the outputs of one file that is sent again and
 * again, even if each request is refused.
 * @throws RelayError, InvalidRequestError
 */
async function checkOutputRoom(ctx: Context, db: Kysely<Schema>, userId: number): Promise<void> {
  const bytes = await getRemainingFileBytes(db, ctx, userId);
  if (bytes === 0) throw new RelayError('invalid_request', describeRoom(ctx, bytes));
}

const invalid = (param: string, message: string): RelayError => new RelayError('invalid_request', message, { param });

function isMetadata(metadata: unknown): boolean {
  if (metadata === undefined || metadata === null) return true;
  if (!isObject(metadata)) return false;
  const entries = Object.entries(metadata);
  return (
    entries.length <= 16 &&
    entries.every(([name, text]) => name.length <= 64 && typeof text === 'string' && text.length <= 512)
  );
}

async function listBatches(ctx: Context, { userId, query }: AdmittedRequest) {
  const page = parsePage(query, BATCHES_PAGE, BATCHES_PAGE_MAX);
  const rows = await listBatchPage(ctx, userId, page);
  return buildListPage(rows.map(batchView), page);
}

async function requireBatch(ctx: Context, { userId, id }: AdmittedRequest): Promise<BatchRow> {
  const batch = await findBatch(ctx, userId, id);
  if (batch === undefined) throw new RelayError('not_found', `There is no batch ${id}.`);
  return batch;
}

async function cancelBatch(ctx: Context, batches: Batches, call: AdmittedRequest) {
  const batch = (await batches.cancel(call.userId, call.id)) ?? (await requireBatch(ctx, call));
  if (batch.status === 'cancelling') return batchView(batch);
  throw new RelayError('invalid_request', `A batch with the status ${batch.status} cannot be canceled.`);
}

/** Formats files and batches as OpenAI's API does. https://platform.openai.com/docs/api-reference/batch/object */

function fileView({ id, purpose, filename, bytes, created_at, expires_at }: BatchFileRow) {
  return { id, object: 'file', bytes, created_at, expires_at, filename, purpose, status: 'processed' };
}

function batchView(row: BatchRow) {
  const { id, endpoint, model, input_file_id, output_file_id, error_file_id, status } = row;
  const { created_at, in_progress_at, expires_at, finalizing_at, cancelling_at } = row;
  const endedAs = (end: BatchRow['status']): number | null => (status === end ? row.ended_at : null);
  return {
    id,
    object: 'batch',
    endpoint,
    ...(model === '' ? {} : { model }),
    errors: row.errors === null ? null : { object: 'list', data: JSON.parse(row.errors) as unknown },
    input_file_id,
    completion_window: '24h',
    status,
    output_file_id,
    error_file_id,
    created_at,
    in_progress_at,
    expires_at,
    finalizing_at,
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at,
    cancelled_at: endedAs('cancelled'),
    request_counts: { total: row.total, completed: row.completed, failed: row.failed },
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as unknown),
  };
}
