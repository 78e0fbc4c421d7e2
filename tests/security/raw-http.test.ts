/** Invalid HTTP is refused or dropped, never causes a failure, and is never read as two requests. */
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemTimers, type Timer } from '../../apps/server/src/platform/clock.ts';
import { startTestApp, type TestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createRandom, type Random } from '../../apps/server/src/tools/demo/random.ts';
import { pick, printSeed, reportMeasurement, seed } from '../tier.ts';

const CONNECTIONS = pick(2_000, 10_000, 100_000);
const AT_ONCE = 32;
const ANSWER_WITHIN_MS = 30_000;
/** Turns of the event loop that the server of this process may take for its response. */
const TURNS = 20;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** @returns the status of each response, until the server closes the connection or is silent for `silenceMs` */
function send(bytes: Buffer, silenceMs = 50): Promise<number[]> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let silence: Timer | undefined;
    const deadline = systemTimers.after(ANSWER_WITHIN_MS, () => socket.destroy());
    const wait = (): void => {
      silence?.close();
      silence = systemTimers.after(silenceMs, () => void destroyWhenSilent(text));
    };
    /** This process may have been busy: bytes that arrived meanwhile are read first. */
    const destroyWhenSilent = async (before: string): Promise<void> => {
      for (let count = 0; count < TURNS; count += 1) await turn();
      if (text === before) socket.destroy();
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      wait();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      silence?.close();
      deadline.close();
      // A checkout without a built console reports that, which is no failure.
      const answers = text.replace(/HTTP\/1\.1 503(?=[\s\S]*?The console is not built)/g, 'HTTP/1.1 404');
      resolve([...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)));
    });
    socket.write(bytes, wait);
  });
}

const head = (line: string, ...headers: string[]): string => [line, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');
const smuggled = head('GET /api/status HTTP/1.1');

const ambiguous: Readonly<Record<string, string>> = {
  'a length and chunks': `${head('POST /api/user/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 4', 'Transfer-Encoding: chunked')}0\r\n\r\n${smuggled}`,
  'two lengths': `${head('POST /api/user/login HTTP/1.1', 'Content-Length: 2', 'Content-Length: 0')}{}${smuggled}`,
  'a length of two values': `${head('POST /api/user/login HTTP/1.1', 'Content-Length: 2, 0')}{}${smuggled}`,
  'a length with a sign': `${head('POST /api/user/login HTTP/1.1', 'Content-Length: +2')}{}${smuggled}`,
  'a length in hex': `${head('POST /api/user/login HTTP/1.1', 'Content-Length: 0x2')}{}${smuggled}`,
  'a coding after chunked': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding: chunked, identity')}0\r\n\r\n${smuggled}`,
  'a coding that nobody knows': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding: xchunked')}0\r\n\r\n${smuggled}`,
  'chunked with a space before the colon': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding : chunked', 'Content-Length: 0')}0\r\n\r\n${smuggled}`,
  'a folded header': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding:\r\n chunked', 'Content-Length: 5')}0\r\n\r\n${smuggled}`,
  'a chunk size with rubbish': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding: chunked')}0x0\r\n\r\n${smuggled}`,
  'a chunk of more than it says': `${head('POST /api/user/login HTTP/1.1', 'Transfer-Encoding: chunked')}2\r\n{}GET\r\n0\r\n\r\n${smuggled}`,
  'lines that end in a bare LF': `POST /api/user/login HTTP/1.1\nHost: x\nContent-Length: 0\n\n${smuggled}`,
  'a bare CR in a header': `${head('POST /api/user/login HTTP/1.1', 'X: a\rContent-Length: 10')}${smuggled}`,
  'a NUL in a header': `${head('POST /api/user/login HTTP/1.1', 'X: a\u0000b')}${smuggled}`,
};

test.each(Object.keys(ambiguous))('a request with %s hides no other', async (what) => {
  for (const path of ['/api/user/login', '/v1/chat/completions']) {
    const text = (ambiguous[what] ?? '').replace('/api/user/login', path);
    const statuses = await send(Buffer.from(text, 'latin1'), 200);
    expect(statuses, path).not.toContain(200);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  }
});

test.each([
  ['a header of 17 kB', head('GET /api/status HTTP/1.1', `X: ${'x'.repeat(17_000)}`), 431],
  [
    'ten thousand headers',
    head('GET /api/status HTTP/1.1', ...Array.from({ length: 10_000 }, (_, n) => `X${n}: 1`)),
    431,
  ],
  ['an address of 100 kB', head(`GET /${'x'.repeat(100_000)} HTTP/1.1`), 431],
  ['no host', 'GET /api/status HTTP/1.1\r\n\r\n', 400],
  ['another protocol', 'SSH-2.0-OpenSSH\r\n', 400],
  ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 400],
])('%s is refused', async (_what, text, status) => {
  // The server closes the connection after its response.
  expect(await send(Buffer.from(text, 'latin1'), ANSWER_WITHIN_MS)).toEqual([status]);
});

test.each([8, 100])(
  '%i requests at once on one connection get an answer each, or the connection is closed',
  async (count) => {
    const last = smuggled.replace('Host:', 'Connection: close\r\nHost:');
    const statuses = await send(Buffer.from(smuggled.repeat(count - 1) + last), ANSWER_WITHIN_MS);
    // A client that pipelines too many requests has its connection closed.
    expect(statuses).toEqual(count === 8 ? Array.from({ length: 8 }, () => 200) : []);
    expect(await send(Buffer.from(last), ANSWER_WITHIN_MS)).toEqual([200]);
  },
);

const upgrade = head('GET /v1/realtime HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x');

test.each([
  ['any', smuggled],
  ['one without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['one with an unknown expectation', head('GET / HTTP/1.1', 'Expect: x')],
  ['one whose body is incomplete', head('POST /api/user/login HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 2')],
  ['one that relays', head('GET /v1/models HTTP/1.1')],
  ['a preflight', head('OPTIONS /v1/models HTTP/1.1')],
  ['one whose connection is to close', head('GET /api/status HTTP/1.1', 'Connection: close')],
  ['another upgrade', upgrade],
])('an upgrade that is sent ahead of the response to %s harms no other client', async (_what, earlier) => {
  for (const ahead of [earlier, earlier.repeat(2)]) {
    await send(Buffer.from(ahead + upgrade));
    expect(await send(Buffer.from(smuggled))).toEqual([200]);
  }
});

const seeds = [
  smuggled,
  ...Object.values(ambiguous),
  `${head('POST /v1/chat/completions HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 2')}{}`,
  `${head('POST /api/user/login HTTP/1.1', 'Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 2')}{}`,
  upgrade,
  head('CONNECT 127.0.0.1:80 HTTP/1.1'),
  head('PRI * HTTP/2.0', 'SM'),
  head('OPTIONS * HTTP/1.1'),
  head('GET http://10.0.0.1/ HTTP/1.1'),
  head('TRACE / HTTP/1.1', 'Max-Forwards: 0'),
];

function mutated(random: Random): Buffer {
  const ahead = random.chance(0.5) ? '' : random.pick(seeds);
  let bytes = Buffer.from(ahead + random.pick(seeds), 'latin1');
  for (let count = random.between(1, 6); count > 0; count -= 1) {
    const at = random.between(0, Math.max(0, bytes.length - 1));
    const to = Math.min(bytes.length, at + random.between(1, 20));
    const middle = random.pick([
      () => Buffer.from([random.between(0, 255)]),
      () => Buffer.from(random.pick(['\r\n', '\r\n\r\n', ':', ' ', '\u0000', '%', ',', '0\r\n', 'HTTP/1.1 200 ', 'é'])),
      () => Buffer.concat([bytes.subarray(at, to), bytes.subarray(at, to)]),
      () => Buffer.alloc(0),
    ])();
    bytes = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(random.chance(0.5) ? at : to)]);
  }
  return bytes;
}

test(`${CONNECTIONS} connections of broken bytes: no failure`, async () => {
  printSeed();
  const failures: string[] = [];
  let next = 0;
  let answers = 0;
  const worker = async (): Promise<void> => {
    while (next < CONNECTIONS) {
      const index = next;
      next += 1;
      const bytes = mutated(createRandom(seed + index * 7919));
      const statuses = await send(bytes);
      answers += statuses.length;
      if (statuses.some((status) => status >= 500 && status !== 501 && status !== 505))
        failures.push(`${statuses.join()} ${JSON.stringify(bytes.toString('latin1')).slice(0, 400)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(failures).toEqual([]);
  expect(answers).toBeGreaterThan(CONNECTIONS / 2);
  // Has no limit of calls, unlike the route that the packets call.
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  reportMeasurement('P17', `${CONNECTIONS} connections of broken bytes, ${answers} answers`);
}, 3_600_000);
