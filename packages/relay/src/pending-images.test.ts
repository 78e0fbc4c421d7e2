/** Images that are submitted as tasks and polled until they are complete. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { planExchange } from './exchange/plan-exchange.ts';
import { type JsonObject, objectOf, parseJson } from './json/json.ts';
import type { Target } from './model/provider.ts';
import type { NextPoll } from './model/upstream-exchange.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

const asked = (target: Target) => planExchange(sampleRequest('openai-images', { image: undefined }), target);

function next(target: Target, answer: object): NextPoll | undefined {
  const reader = asked(target).readResponse({ 'content-type': 'application/json' });
  reader.push(Buffer.from(JSON.stringify(answer)));
  return reader.nextPoll?.();
}

describe('Kling', () => {
  const target = sampleTarget('kling', { credentials: { key: 'access', secretKey: 'secret' } });
  const order = (id: string, status: string) => ({ code: 0, data: { task_id: id, task_status: status } });

  test('polls a task by its id, and signs each poll', () => {
    const follow = next(target, order('CjMT7WdSwWcAAA=', 'submitted'));
    expect(follow).toMatchObject({ url: 'https://api-singapore.klingai.com/v1/images/generations/CjMT7WdSwWcAAA=' });
    expect(follow !== undefined && 'headers' in follow ? follow.headers : []).toContain('authorization');
    expect(next(target, order('t1', 'processing'))).toBeDefined();
    expect(next(target, order('t1', 'failed'))).toBeUndefined();
  });

  test('refuses a task id that would lead to another URL', () => {
    expect(next(target, order('../../account', 'submitted'))).toBeUndefined();
  });

  test('signs a token for half an hour with two keys, and sends a single key unchanged', () => {
    const headers = asked(target).headers;
    const [type, token = ''] = (headers[headers.indexOf('authorization') + 1] ?? '').split(' ');
    const [head = '', claims = '', signature] = token.split('.');
    expect(type).toBe('Bearer');
    expect(signature).toBe(createHmac('sha256', 'secret').update(`${head}.${claims}`).digest('base64url'));
    const read = (part: string): JsonObject => objectOf(parseJson(Buffer.from(part, 'base64url').toString()));
    expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const { iss, exp, nbf } = read(claims);
    expect(iss).toBe('access');
    expect(Math.abs(Number(exp) - Date.now() / 1000 - 1800)).toBeLessThan(5);
    expect(Number(exp) - Number(nbf)).toBe(1805);
    expect(asked(sampleTarget('kling')).headers).toContain('Bearer sample-secret-key');
  });
});

describe('Midjourney', () => {
  const target = sampleTarget('midjourney', { model: 'mj_imagine' });

  test.each([1, 21, 22])('polls a task that was accepted with code %i', (code) => {
    expect(next(target, { code, description: 'ok', result: '1400193481' })).toMatchObject({
      url: 'https://upstream.test/mj/task/1400193481/fetch',
    });
  });

  test('polls a Midjourney task while it runs and stops when it is done, failed or refused', () => {
    expect(next(target, { id: '1', status: 'IN_PROGRESS', progress: '37%' })).toMatchObject({ again: true });
    expect(next(target, { id: '1', status: 'SUCCESS', imageUrl: 'https://pictures.test/1' })).toBeUndefined();
    expect(next(target, { id: '1', status: 'FAILURE', failReason: 'x' })).toBeUndefined();
    expect(next(target, { code: 24, description: 'x', result: '1' })).toBeUndefined();
    expect(next(target, { code: 1, description: 'ok', result: '../x' })).toBeUndefined();
  });
});
