/**
 * Batches that a vendor runs itself, in OpenAI's API: requests in a file, responses in files within a day.
 * https://platform.openai.com/docs/api-reference/batch
 */
import { DEPTH_MAX, isDeeperThan, isObject, type JsonObject, parseJson } from '../json/json.ts';
import { condenseJson } from '../json/json-condense-and-detach.ts';
import { findJsonValue } from '../json/scan-json-bytes.ts';
import type { ProviderField, Target } from '../model/provider.ts';
import { buildAccountHeaders, buildUpstreamUrl } from './upstream-url-and-headers.ts';

/** Option for where a channel's batches run: at its vendor, or line by line in this gateway. */
export const batchesOption: ProviderField = { name: 'batches', required: false, choices: ['vendor', 'here'] };

export function hasVendorBatches({ provider, options }: Pick<Target, 'provider' | 'options'>): boolean {
  return provider.batchBaseUrl !== undefined && options['batches'] !== 'here';
}

export interface VendorBatchRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  /** Body in JSON. */
  body?: string;
}

/** Plans the upload of a form, whose parts the caller adds. */
export const planFileUpload = (target: Target): VendorBatchRequest => planRequest(target, 'POST', '/files');

export const planFileDownload = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'GET', `/files/${encodeURIComponent(id)}/content`);

export const planFileDeletion = (target: Target, id: string): VendorBatchRequest =>
  planRequest(target, 'DELETE', `/files/${encodeURIComponent(id)}`);

interface BatchCreation {
  fileId: string;
  endpoint: string;
  /** Name by which the batch can be found later. */
  name: string;
}

export const planBatchCreation = (target: Target, { fileId, endpoint, name }: BatchCreation): VendorBatchRequest =>
  planRequest(target, 'POST', '/batches', {
    input_file_id: fileId,
    endpoint,
    completion_window: '24h',
    metadata: { [NAME]: name },
  });

/** Plans a list of the newest batches after a cursor. */
export const planBatchList = (target: Target, after?: string): VendorBatchRequest =>
  planRequest(target, 'GET', `/batches?limit=100${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`);

/** @returns cursor of the next page; undefined at the end */
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
  /** `refused`: no line ran. `ended`: no more lines will run, whatever their results. */
  state: 'running' | 'ended' | 'refused';
  inputFileId: string | undefined;
  /** Ids of the files with the responses and with the errors. */
  outputFileIds: string[];
}

const isId = (id: unknown): id is string => typeof id === 'string' && /^[\w-]{1,200}$/.test(id);

const ended = new Set<unknown>(['completed', 'expired', 'cancelled']);

/** @returns undefined if the response is not a batch */
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

/** Returns the batch that was created with the name. */
export function findVendorBatch(json: unknown, name: string): VendorBatch | undefined {
  const all = isObject(json) && Array.isArray(json['data']) ? json['data'].filter(isObject) : [];
  return readVendorBatch(all.find(({ metadata }) => isObject(metadata) && metadata[NAME] === name));
}

/** @returns id of an uploaded file */
export function readFileId(json: unknown): string | undefined {
  return isObject(json) && isId(json['id']) ? json['id'] : undefined;
}

export interface VendorLineResponse {
  name: string;
  /** Undefined if the line did not run. */
  answer: { status: number; body: unknown } | undefined;
}

/** Reads a line of a response file. @returns undefined for an invalid line */
export function readVendorLine(json: unknown): VendorLineResponse | undefined {
  if (!isObject(json) || typeof json['custom_id'] !== 'string') return undefined;
  const { custom_id: name, response } = json;
  const isAnswer = isObject(response) && typeof response['status_code'] === 'number';
  if (!isAnswer) return { name, answer: undefined };
  const { status_code: status, body = null } = response;
  if (isDeeperThan(DEPTH_MAX, body)) return { name, answer: undefined };
  return { name, answer: { status: Number(status), body } };
}

/** Large line of a response file, whose body is neither parsed nor copied. */
interface LargeVendorLine {
  name: string;
  /** Undefined without a response. */
  status: number | undefined;
}

/** Reads a large line of a response file, most of whose bytes are the body. @returns undefined for an invalid line */
export function readLargeVendorLine(content: Buffer): LargeVendorLine | undefined {
  const line = readVendorLine(parseJson(condenseJson(content, content.length)?.text ?? ''));
  return line && { name: line.name, status: line.answer?.status };
}

/** Returns the body of a large line's response, as JSON. */
export function findVendorBody(content: Buffer): Buffer {
  return findJsonValue(content, ['response', 'body']) ?? Buffer.from('null');
}

/** Returns the vendor's path of a batch's requests, without the preceding part of the URL. */
export function toRequestPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(Math.max(0, pathname.lastIndexOf('/v1/')));
}
