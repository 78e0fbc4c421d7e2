/** Worker thread that makes many concurrent calls, counts the bytes of their responses, and posts the outcomes. */
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

export interface LargeCalls {
  url: string;
  path: string;
  key: string;
  body: string;
  count: number;
}

export interface CallResult {
  status: number;
  retryAfter: string | undefined;
  requestId: string;
  /** Bytes of the body. */
  bytes: number;
  /** Whether the body ended normally. */
  isComplete: boolean;
}

const workerOptions = z.object({
  url: z.string(),
  path: z.string(),
  key: z.string(),
  body: z.string(),
  count: z.number(),
});

if (parentPort !== null) {
  const order = workerOptions.parse(workerData);
  const calls = Array.from({ length: order.count }, () => callOnce(order));
  parentPort.postMessage(await Promise.all(calls));
}

/** Makes one call on its own connection. */
export function callOnce({ url, path, key, body }: Omit<LargeCalls, 'count'>): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}${path}`, { method: 'POST', headers, agent: false });
    sent.on('error', reject).on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', () => {});
      response.on('close', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          requestId: String(response.headers['x-request-id']),
          bytes,
          isComplete: response.complete,
        }),
      );
    });
    sent.end(body);
  });
}
