/** Sends and reads batches with OpenAI's client. */
import OpenAI, { toFile } from 'openai';
import type { Batch, BatchCreateParams } from 'openai/resources';
import { sleep, systemTimers } from '../platform/clock.ts';

export const CHAT_PATH = '/v1/chat/completions';

export interface ResultLine {
  custom_id: string;
  response: { status_code: number; request_id: string; body: Record<string, unknown> } | null;
  error: { code: string } | null;
}

export function buildRequestLine(
  custom_id: string,
  body: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) {
  const messages = [{ role: 'user', content: custom_id }];
  return { custom_id, method: 'POST', url: CHAT_PATH, body: { model: 'scripted-model', messages, ...body }, ...more };
}

/** Returns `count` request lines for one model, with the ids `0`, `1` … */
export function buildRequestLines(count: number, model: string) {
  return Array.from({ length: count }, (_, nth) => buildRequestLine(String(nth), { model }));
}

export const toJsonl = (lines: readonly unknown[]): string => lines.map((one) => JSON.stringify(one)).join('\n');

export interface BatchClient {
  openai: OpenAI;
  submit: (text: string, more?: Partial<BatchCreateParams>) => Promise<Batch>;
  /** Resolves with the batch once it has ended. */
  waitUntilEnded: (id: string) => Promise<Batch>;
  readLines: (fileId: string | null | undefined) => Promise<ResultLine[]>;
}

/** @param wait runs between two reads of a batch */
export function createBatchClient(
  url: string,
  apiKey: string,
  wait: () => Promise<void> = () => sleep(systemTimers, 100),
): BatchClient {
  const openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  const open = new Set<Batch['status']>(['validating', 'in_progress', 'finalizing', 'cancelling']);
  return {
    openai,
    async submit(text, more = {}) {
      const file = await toFile(Buffer.from(text), 'in.jsonl');
      const { id } = await openai.files.create({ file, purpose: 'batch' });
      return openai.batches.create({ input_file_id: id, endpoint: CHAT_PATH, completion_window: '24h', ...more });
    },
    async waitUntilEnded(id) {
      for (;;) {
        const batch = await openai.batches.retrieve(id);
        if (!open.has(batch.status)) return batch;
        await wait();
      }
    },
    async readLines(fileId) {
      if (typeof fileId !== 'string') return [];
      const text = await (await openai.files.content(fileId)).text();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ResultLine);
    },
  };
}
