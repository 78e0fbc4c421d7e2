import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { checkSameOrigin } from './authorize.ts';
import type { Caller } from './caller.ts';

const check = (mode: string, site: string) => () =>
  checkSameOrigin({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }, undefined, undefined);

test('a link that was opened from outside a browser causes nothing, a script of the console does', () => {
  expect(check('navigate', 'none')).toThrow(
    'must come from the console. A program must send an access token as "Authorization: Bearer TOKEN".',
  );
  expect(check('navigate', 'cross-site')).toThrow('must come from the console');
  expect(check('cors', 'same-site')).toThrow('must come from the console');
  expect(check('cors', 'same-origin')).not.toThrow();
  expect(check('cors', 'none')).not.toThrow();
});

describe('content of the console cannot call the server', () => {
  const fetched = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
  test.each([
    ['a link', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }],
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    ['an image with CORS', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'image' }],
    ['a ping', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }],
    ['a preloaded script', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
    ['a WebSocket', { 'sec-fetch-mode': 'websocket', 'sec-fetch-dest': 'empty' }],
  ])('%s is refused', (_what, headers) => {
    expect(() => checkSameOrigin({ ...fetched, ...headers }, undefined, undefined)).toThrow(
      'must come from the console',
    );
  });
});

describe('a GET over plain HTTP, for which browsers state no origin', () => {
  const signedIn = { sessionIdHash: 'a' } as Caller;
  const checkGet = (headers: IncomingHttpHeaders, caller?: Caller) => () =>
    checkSameOrigin({ host: 'gate.example', ...headers }, caller, undefined);
  test.each([
    ['a script of the console', { 'x-requested-with': 'XMLHttpRequest' }, true],
    ['a link, an image or a form', {}, false],
    ['a page of the same host by its referrer', { referer: 'http://gate.example/panel' }, false],
    ['a script of another site', { 'x-requested-with': 'XMLHttpRequest', origin: 'http://evil.example' }, false],
    ['a sandboxed page', { 'x-requested-with': 'XMLHttpRequest', origin: 'null' }, false],
    ['another site, in a newer browser', { 'x-requested-with': 'a', 'sec-fetch-site': 'cross-site' }, false],
  ])('%s in a session', (_what, headers, accepted) => {
    if (accepted) expect(checkGet(headers, signedIn)).not.toThrow();
    else expect(checkGet(headers, signedIn)).toThrow('must come from the console');
  });

  test('another origin gets the advice for a console behind a proxy', () => {
    expect(checkGet({ origin: 'http://console.example' }, signedIn)).toThrow(
      'If you are in the console, set PUBLIC_URL to its address, or let your proxy forward the header Host.',
    );
  });

  test('programs without a session need no header', () => {
    expect(checkGet({})).not.toThrow();
  });
});
