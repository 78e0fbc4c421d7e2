/** Responses to task submissions, in the dialect of each vendor with tasks. */
import { describe, expect, test } from 'vitest';
import type { UpstreamErrorKind } from '../errors/upstream-error.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { AcceptedTask } from '../model/task-types.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { SubmissionReader } from './submission-reader.ts';
import { getUpstreamTasks } from './task-polls-and-responses.ts';

interface Vendor {
  provider: string;
  format: UpstreamDialectId;
  path?: string;
  /** The answer with this id and state. */
  answer: (id: unknown, word?: string, reason?: string) => object;
  /** Its ids are operations at Google, and no numbers. */
  onlyTexts?: true;
  /** The id as the gateway asks about it. */
  asked?: (id: string) => string;
  /** The answer names no state. */
  isSilent?: true;
}

const gateway = 'one-api';
const vendors: readonly Vendor[] = [
  {
    provider: 'openai',
    format: 'openai-videos',
    answer: (id, status, message) => ({ id, object: 'video', status, ...(message && { error: { message } }) }),
  },
  {
    provider: gateway,
    format: 'video-generations',
    answer: (task_id, status, fail_reason = '') => ({ task_id, status, fail_reason, message: 'accepted' }),
  },
  {
    provider: gateway,
    format: 'video-generations',
    answer: (task_id, status, fail_reason = '') => ({
      code: 'success',
      message: 'ok',
      data: { task_id, status, fail_reason },
    }),
  },
  {
    provider: 'kling',
    format: 'kling-videos',
    path: '/v1/videos/text2video',
    asked: (id) => `text2video/${id}`,
    answer: (task_id, task_status, task_status_msg) => ({
      code: 0,
      message: 'SUCCEED',
      data: { task_id, task_status, task_status_msg },
    }),
  },
  {
    provider: 'suno',
    format: 'suno',
    answer: (task_id, status, fail_reason) => ({
      code: 'success',
      message: 'accepted',
      data: status === undefined ? task_id : { task_id, status, fail_reason },
    }),
  },
  {
    provider: 'midjourney',
    format: 'midjourney',
    isSilent: true,
    answer: (result) => ({ code: 22, description: 'In queue', message: 'ok', result }),
  },
  { provider: 'luma', format: 'luma-videos', answer: (id, state, failure_reason) => ({ id, state, failure_reason }) },
  {
    provider: 'vidu',
    format: 'vidu-videos',
    answer: (task_id, state, err_code = '') => ({ task_id, state, err_code, message: 'ok' }),
  },
  {
    provider: 'ali',
    format: 'wan-videos',
    answer: (task_id, task_status, message) => ({ request_id: 'r', output: { task_id, task_status, message } }),
  },
  { provider: 'runway', format: 'runway-videos', answer: (id, status, failure) => ({ id, status, failure }) },
  {
    provider: 'volcengine',
    format: 'ark-videos',
    answer: (id, status, message) => ({ id, status, ...(message && { error: { code: 'Blocked', message } }) }),
  },
  {
    provider: 'xai',
    format: 'xai-videos',
    answer: (request_id, status, message) => ({ request_id, status, ...(message && { error: { message } }) }),
  },
  {
    provider: 'minimax',
    format: 'minimax-videos',
    answer: (task_id, status, status_msg) => ({
      task_id,
      status,
      base_resp:
        status_msg === undefined ? { status_code: 0, status_msg: 'success' } : { status_code: 1026, status_msg },
    }),
  },
  {
    provider: 'gemini',
    format: 'veo-videos',
    onlyTexts: true,
    isSilent: true,
    answer: (id) => ({ name: `models/veo/operations/${String(id)}` }),
    asked: (id) => `models/veo/operations/${id}`,
  },
];

function read({ provider, format, path = '' }: Vendor, text: string): AcceptedTask | undefined {
  const reader = new SubmissionReader(format, getUpstreamTasks(format), path, sampleTarget(provider));
  reader.push(Buffer.from(text));
  reader.end();
  return reader.acceptedTask;
}

const open = ['NOT_START', 'submitted', 'IN_PROGRESS', 'processing', 'queued', 'Wandering', 'SUCCESS', '', undefined];
const failed = ['FAILURE', 'failed', 'Cancelled', 'EXPIRED'];

describe.each(vendors)('$format of $provider', (vendor) => {
  const { answer, asked = (id: string) => id, onlyTexts = false, isSilent = false } = vendor;
  const refusedAs = (said: object) => {
    try {
      return read(vendor, JSON.stringify(said));
    } catch (error) {
      return error;
    }
  };

  test.each(open)('accepts a task with the status %s', (word) => {
    expect(read(vendor, JSON.stringify(answer('task_77', word)))).toMatchObject({ id: asked('task_77') });
  });

  test.each(['4242424242', '17000000000001234567'])('accepts a task with the numeric id %s', (digits) => {
    if (onlyTexts) return;
    const text = JSON.stringify(answer('DIGITS')).replaceAll('"DIGITS"', digits);
    expect(read(vendor, text)?.id).toBe(asked(digits));
  });

  test.each(failed)('reports the reason of a task that is %s at once, and tries no other channel', (word) => {
    if (isSilent) return;
    expect(refusedAs(answer('task_77', word, 'The film was blocked.'))).toMatchObject({
      kind: 'rejected' satisfies UpstreamErrorKind,
      message: 'The film was blocked.',
    });
  });

  test.each([null, '', '../account', {}, []])('tries no other channel if the id is %j', (id) => {
    expect(refusedAs(answer(onlyTexts ? 'a/b' : id, 'queued'))).toMatchObject({ kind: 'garbled' });
  });
});

describe('midjourney', () => {
  const proxy: Vendor = { provider: 'midjourney', format: 'midjourney', answer: () => ({}) };

  test.each([0, '1', 200, 'success', 21, 99])('accepts an id beside the code %s', (code) => {
    expect(read(proxy, JSON.stringify({ code, result: 'task_77' }))).toMatchObject({ id: 'task_77' });
  });

  test.each([
    { code: 1, result: 'task_77', status: 'FAILURE', failReason: 'The drawing was blocked.' },
    { code: 1, result: { id: 'task_77', status: 'cancelled', failReason: 'The drawing was blocked.' } },
    { id: 'task_77', status: '', failReason: 'The drawing was blocked.' },
  ])('reports the reason of a task that has failed in %j', (answer) => {
    expect(() => read(proxy, JSON.stringify(answer))).toThrow('The drawing was blocked.');
  });
});

test.each([
  ['suno', 'suno', { code: 'error', message: 'no account', data: null }],
  ['kling', 'kling-videos', { code: 1201, message: 'model is unknown', data: null }],
  ['midjourney', 'midjourney', { code: 9, description: 'failed', result: '' }],
  ['midjourney', 'midjourney', { code: 23, description: 'queue full', result: '123456' }],
  ['suno', 'suno', { code: 'task_rejected', message: '', data: 'task_77' }],
  ['one-api', 'video-generations', { code: 'fail_to_submit', message: 'no account', data: {} }],
  ['openai', 'openai-videos', { status: 'error', message: 'The engine is overloaded' }],
  ['openai', 'openai-videos', { error: { message: 'The engine is overloaded', type: 'server_error' } }],
  ['minimax', 'minimax-videos', { task_id: '', base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }],
] as const)('retries on another channel after a refusal of %s (%s)', (provider, format, said) => {
  const text = JSON.stringify(said);
  let thrown: unknown;
  try {
    read({ provider, format, answer: () => said }, text);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ kind: expect.stringMatching(/overloaded|rate-limited|out-of-credit/) as string });
});
