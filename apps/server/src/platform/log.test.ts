import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { createLogTail } from './log-tail.ts';

const KEY = 'sk-live0123456789abcdef';

function printed(...entry: [object, string]): string {
  const lines: string[] = [];
  const tail = createLogTail();
  createLog('debug', { write: (line) => void lines.push(line) }, tail).warn(...entry);
  expect(tail.text()).toBe(lines.join(''));
  return lines.join('');
}

test.each([
  ['a field named like a secret', { token: KEY }],
  ['one of several spellings', { 'X-Api-Key': KEY, clientSecret: KEY, 'Set-Cookie': KEY, newPassword: KEY }],
  ['one deep inside', { a: { b: { c: { d: [{ api_key: 'plain-looking' }] } } } }],
  ['one that is no text', { credentials: { user: 'plain-looking' } }],
  ['a text among others', { note: ['one', `was ${KEY}`] }],
  ['a bearer token', { header: 'Authorization: Bearer plain-looking-value' }],
  ['an address', { url: `https://a.example/v1?model=x&key=plain-looking#token=plain-looking` }],
  ['the user of an address', { at: 'socks5://user:plain-looking@10.0.0.1:1080' }],
  ['a bot’s address', { url: 'https://api.telegram.org/bot123456:plain-looking/getMe' }],
  ['an error and its cause', { err: new Error(`refused ${KEY}`, { cause: new Error(`by ${KEY}`) }) }],
])('prints no secret in %s', (_where, fields) => {
  const line = printed(fields, `and in the message ${KEY}, Bearer plain-looking-value`);
  expect(line).not.toMatch(/live0123|plain-looking/);
  expect(line).toContain('[redacted]');
  expect(JSON.parse(line)).toMatchObject({ level: 40 });
});

test('leaves everything else as it is', () => {
  const fields = { request_id: 'req_1', tokens: 5, keys: ['a'], url: 'https://a.example/v1?model=x' };
  expect(JSON.parse(printed(fields, 'the task is done'))).toMatchObject({ ...fields, msg: 'the task is done' });
});
