/**
 * Vendor that runs batches, as OpenAI documents it: https://platform.openai.com/docs/api-reference/batch
 * A batch waits until the test runs it. Single requests are served, too.
 */
import {
  startTestVendor,
  type TestVendor,
  type VendorRequest,
} from '../../apps/server/src/testing/simulated-vendor.ts';

export interface BatchVendorLine {
  custom_id: string;
  method: string;
  url: string;
  body: { model: string; messages: { content: string }[] };
}

export interface ScriptedBatch {
  id: string;
  status: 'failed' | 'in_progress' | 'completed' | 'expired' | 'cancelling' | 'cancelled';
  endpoint: string;
  input_file_id: string;
  output_file_id: string | null;
  error_file_id: string | null;
  metadata: Record<string, string>;
}

export interface BatchVendor extends TestVendor {
  files: Map<string, string>;
  batches: Map<string, ScriptedBatch>;
  /** Bodies of single requests. */
  singleRequests: VendorRequest[];
  getOnlyBatch(): ScriptedBatch;
  readLines(batch: ScriptedBatch): BatchVendorLine[];
  /** Writes a response for every line, or for the given ones, and ends the batch. */
  complete(batch: ScriptedBatch, answered?: (line: BatchVendorLine) => 'yes' | 'refused' | 'no'): void;
}

const USAGE = { prompt_tokens: 1_000, completion_tokens: 2_000, total_tokens: 3_000 };

export async function startBatchVendor(key = 'sk-upstream'): Promise<BatchVendor> {
  const files = new Map<string, string>();
  const batches = new Map<string, ScriptedBatch>();
  const alone: VendorRequest[] = [];
  const newId = (prefix: string): string => `${prefix}${process.hrtime.bigint()}`;
  const error = (status: number, message: string) => ({ status, json: { error: { message } } });
  const put = (prefix: string, text: string): string => {
    const id = newId(prefix);
    files.set(id, text);
    return id;
  };
  const shown = (batch: ScriptedBatch) => ({
    json: { object: 'batch', completion_window: '24h', created_at: 1_700_000_000, ...batch },
  });

  const upload = ({ headers, body }: VendorRequest) => {
    const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
    const [, purpose, file] = body.split(`--${boundary}`);
    const text = file?.split('\r\n\r\n').slice(1).join('\r\n\r\n').slice(0, -2) ?? '';
    if (purpose?.includes('name="purpose"') !== true || !purpose.includes('\r\n\r\nbatch\r\n'))
      return error(400, 'purpose is missing');
    return { json: { object: 'file', id: put('file-', text), purpose: 'batch', bytes: text.length } };
  };
  const create = ({ body }: VendorRequest) => {
    const { input_file_id, endpoint, completion_window, metadata } = JSON.parse(body) as ScriptedBatch & {
      completion_window: string;
    };
    if (!files.has(input_file_id) || completion_window !== '24h') return error(400, 'no such file');
    const batch: ScriptedBatch = {
      id: newId('batch_'),
      status: 'in_progress',
      endpoint,
      input_file_id,
      output_file_id: null,
      error_file_id: null,
      metadata,
    };
    batches.set(batch.id, batch);
    return shown(batch);
  };
  const linesOf = ({ input_file_id }: ScriptedBatch): BatchVendorLine[] =>
    (files.get(input_file_id) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as BatchVendorLine);
  const list = ({ query }: VendorRequest) => {
    const limit = Number(query.get('limit') ?? 20);
    const newestFirst = [...batches.values()].toReversed();
    const from = newestFirst.findIndex(({ id }) => id === query.get('after')) + 1;
    const data = newestFirst.slice(from, from + limit).map((batch) => shown(batch).json);
    return { json: { object: 'list', data, has_more: from + limit < newestFirst.length } };
  };
  const answerTo = ({ model, messages }: BatchVendorLine['body']) => ({
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: `You said ${messages.at(-1)?.content}` },
        finish_reason: 'stop',
      },
    ],
    usage: USAGE,
  });

  const serve = (request: VendorRequest) => {
    if (request.headers.authorization !== `Bearer ${key}`) return error(401, 'Incorrect API key provided');
    const { method, target } = request;
    const [path = ''] = target.split('?');
    const [, what, id = '', action = ''] = /^\/v1\/([\w/]+?)(?:\/((?:file-|batch_)\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
    if (what?.startsWith('chat') === true) {
      alone.push(request);
      return { json: answerTo(JSON.parse(request.body) as BatchVendorLine['body']) };
    }
    if (path === '/v1/files') return upload(request);
    if (path === '/v1/batches') return method === 'POST' ? create(request) : list(request);
    const file = files.get(id);
    if (what === 'files' && file !== undefined) {
      if (action === 'content') return { text: file };
      if (method === 'DELETE') files.delete(id);
      return { json: { id, object: 'file', deleted: true } };
    }
    const batch = batches.get(id);
    if (what !== 'batches' || batch === undefined) return error(404, 'not found');
    if (action === 'cancel') {
      if (batch.status !== 'in_progress') return error(409, `A batch that is ${batch.status} cannot be cancelled`);
      batch.status = 'cancelling';
    }
    return shown(batch);
  };

  const vendor = await startTestVendor({}, serve);
  return {
    ...vendor,
    files,
    batches,
    singleRequests: alone,
    readLines: linesOf,
    getOnlyBatch() {
      const [batch, ...more] = batches.values();
      if (batch === undefined || more.length > 0) throw new Error(`there are ${batches.size} batches`);
      return batch;
    },
    complete(batch, answered = () => 'yes') {
      const output: unknown[] = [];
      const errors: unknown[] = [];
      // In another order than the lines.
      for (const line of linesOf(batch).toReversed()) {
        const how = answered(line);
        const response = (status_code: number, body: unknown) => ({ status_code, request_id: newId('req_'), body });
        const common = { id: newId('batch_req_'), custom_id: line.custom_id, error: null };
        if (how === 'yes') output.push({ ...common, response: response(200, answerTo(line.body)) });
        else if (how === 'refused')
          errors.push({
            ...common,
            response: response(400, { error: { message: 'That is not allowed', code: 'bad' } }),
          });
        else errors.push({ ...common, response: null, error: { code: 'batch_expired', message: 'Too late' } });
      }
      const lines = (all: unknown[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');
      if (output.length > 0) batch.output_file_id = put('file-', lines(output));
      if (errors.length > 0) batch.error_file_id = put('file-', lines(errors));
      batch.status = batch.status === 'cancelling' ? 'cancelled' : 'completed';
    },
  };
}
