/**
 * Batches that a vendor runs itself, as OpenAI has them: requests in a file, answers in files within a day.
 * https://platform.openai.com/docs/api-reference/batch
 */
import { DEPTH_MAX, isDeeperThan, isObject, type JsonObject } from '../json/json.ts';
import type { ProviderField, Target } from '../model/provider.ts';
import { buildAccountHeaders, buildUpstreamUrl } from './upstream-call.ts';

/** Option for where a channel's batches run: at its vendor, or line by line in this gateway. */
export const batchesOption: ProviderField = {
  name: 'batches',
  required: false,
  choices: ['vendor', 'here'],
};

export function hasVendorBatches({ provider, options }: Pick<Target, 'provider' | 'options'>): boolean {
  return provider.batchBaseUrl !== undefined && options['batches'] !== 'here';
}

export interface VendorBatchRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  /** JSON. */
  body?: string;
}

/** A form, whose parts are the caller's. */
export const planFileUpload = (target: Target): VendorBatchRequest => planRequest(target, 'POST', '/files');

export const planFileDownload = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'GET', `/files/${encodeURIComponent(id)}/content`);

export const planFileDeletion = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'DELETE', `/files/${encodeURIComponent(id)}`);

interface BatchCreation {
  fileId: string;
  endpoint: string;
  /** Name by which the batch can be found again. */
  name: string;
}

export const planBatchCreation = (target: Target, { fileId, endpoint, name }: BatchCreation): VendorBatchRequest =>
  planRequest(target, 'POST', '/batches', {
    input_file_id: fileId,
    endpoint,
    completion_window: '24h',
    metadata: { [NAME]: name },
  });

/** The newest, behind that one. */
export const planBatchList = (target: Target, after?: string): VendorBatchRequest =>
  planRequest(target, 'GET', `/batches?limit=100${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`);

/** @returns behind which one the list goes on; undefined at its end */
export function readNextBatchCursor(json: unknown): string | undefined {
  if (!isObject(json) || json['has_more'] !== true || !Array.isArray(json['data'])) return undefined;
  return readVendorBatch(json['data'].at(-1))?.id;
}

export const planBatchPoll = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'GET', `/batches/${encodeURIComponent(id)}`);

export const planBatchCancellation = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'POST', `/batches/${encodeURIComponent(id)}/cancel`, {});

const NAME = 'gateway_batch';

function planRequest(
  target: Target,
  method: VendorBatchRequest['method'],
  path: string,
  json?: JsonObject,
): VendorBatchRequest {
  const url = buildUpstreamUrl(target, `${target.provider.batchBaseUrl ?? ''}${path}`);
  if (json === undefined) return { method, url, headers: buildAccountHeaders(target, url, method) };
  const body = JSON.stringify(json);
  const headers = buildAccountHeaders(target, url, method, Buffer.from(body));
  return { method, url, headers: { ...headers, 'content-type': 'application/json' }, body };
}

export interface VendorBatch {
  id: string;
  /** `refused`: nothing of it ran. `ended`: it runs no more, whatever became of its lines. */
  state: 'running' | 'ended' | 'refused';
  inputFileId: string | undefined;
  /** IDs of the files with the responses and with the errors. */
  outputFileIds: string[];
}

const isId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,200}$/.test(id);

const ended = new Set<unknown>(['completed', 'expired', 'cancelled']);

/** @returns undefined when the answer is no batch */
export function readVendorBatch(json: unknown): VendorBatch | undefined {
  if (!isObject(json) || !isId(json['id']) || typeof json['status'] !== 'string') return undefined;
  const { id, status, input_file_id, output_file_id, error_file_id } = json;
  return {
    id,
    state: ended.has(status) ? 'ended' : status === 'failed' ? 'refused' : 'running',
    inputFileId: isId(input_file_id) ? input_file_id : undefined,
    outputFileIds: [output_file_id, error_file_id].filter(isId),
  };
}

/** The one that was ordered under that name. */
export function findVendorBatch(json: unknown, name: string): VendorBatch | undefined {
  const all = isObject(json) && Array.isArray(json['data']) ? json['data'].filter(isObject) : [];
  return readVendorBatch(all.find(({ metadata }) => isObject(metadata) && metadata[NAME] === name));
}

/** @returns the id of a file that was taken */
export function readFileId(json: unknown): string | undefined {
  return isObject(json) && isId(json['id']) ? json['id'] : undefined;
}

export interface VendorLineResponse {
  name: string;
  /** Undefined where the line was not run. */
  answer: { status: number; body: unknown } | undefined;
}

/** A line of a file of answers. @returns undefined when it is none */
export function readVendorLine(json: unknown): VendorLineResponse | undefined {
  if (!isObject(json) || typeof json['custom_id'] !== 'string') return undefined;
  const { custom_id: name, response } = json;
  const isAnswer = isObject(response) && typeof response['status_code'] === 'number';
  if (!isAnswer) return { name, answer: undefined };
  const { status_code: status, body = null } = response;
  if (isDeeperThan(DEPTH_MAX, body)) return { name, answer: undefined };
  return { name, answer: { status: Number(status), body } };
}

/** Returns the path by which the vendor knows a batch's request, without the part of the URL before it. */
export function toRequestPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(Math.max(0, pathname.lastIndexOf('/v1/')));
}
