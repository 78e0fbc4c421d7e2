/** Slots and turns of requests. A read slot of a user lasts until the handler has ended and the response has been written. */
import { connect } from 'node:net';
import type { Right } from '@switchyard/contract/accounts/permissions';
import { userId } from '@switchyard/contract/ids';
import { type Routes, routes } from '@switchyard/contract/route';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { listen } from '../../../../../tests/listen.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { createKeyedSemaphore } from '../limits/keyed-semaphore.ts';
import type { Caller } from './caller.ts';
import { limitJsonBodies } from './json-body-limits.ts';
import { type Handlers, type MountOptions, mountRoutes } from './mount-routes.ts';

const read = { method: 'GET', path: '/read', access: 'user', summary: '', answer: z.string() } as const;
const write = {
  method: 'POST',
  path: '/write',
  access: 'user',
  summary: '',
  body: z.object({ text: z.string() }),
  answer: z.number(),
} as const;
const caller: Caller = {
  userId: userId.parse(1),
  username: 'ann',
  role: 'user',
  rights: new Set(['user']),
  readOnly: false,
  groupSymbol: 'default',
  sessionIdHash: 'session',
  accessTokenId: undefined,
  steppedUp: false,
  lacksSecondFactor: false,
  secondFactorNeededFrom: undefined,
  impersonator: undefined,
};

/** @returns the port of a server on which a user reads one thing at a time */
async function serve<R extends Routes>(
  definitions: R,
  handlers: Handlers<R>,
  changes: Partial<MountOptions> = {},
): Promise<number> {
  const app = Fastify();
  limitJsonBodies(app);
  mountRoutes(app, definitions, handlers, {
    timers: createTestClock(0),
    identify: async () => caller,
    address: () => '127.0.0.1',
    secure: () => false,
    fingerprint: (secret) => secret,
    publicUrl: undefined,
    countWrite: async () => {},
    acquireBodySlot: createKeyedSemaphore(createTestClock(0), 1, 5_000),
    runPaced: (_userId, _length, work) => work(),
    acquireReadSlot: createKeyedSemaphore(createTestClock(0), 1, 5_000),
    reportStreamError: () => {},
    countCall: () => {},
    audit: async () => {},
    ...changes,
  });
  await app.ready();
  const port = await listen(app.server);
  onTestFinished(() => app.close());
  return port;
}

test('a client that leaves keeps its slot as long as the handler runs', async () => {
  const ends: (() => void)[] = [];
  const port = await serve(routes({ read }), {
    read: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))),
  });
  const left = connect(port, '127.0.0.1');
  left.write('GET /read HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => ends.length).toBe(1);
  left.destroy();
  const next = fetch(`http://127.0.0.1:${port}/read`);
  // A call that fails needs no slot, and shows that the server has seen what came before.
  await fetch(`http://127.0.0.1:${port}/none`);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  expect((await next).status).toBe(200);
});

test('reads by an access token leave the slots of its owner’s sessions free', async () => {
  const ends: (() => void)[] = [];
  let by: Caller = { ...caller, sessionIdHash: undefined, accessTokenId: 1 };
  const handlers = { read: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))) };
  const port = await serve(routes({ read }), handlers, { identify: async () => by });
  const byToken = fetch(`http://127.0.0.1:${port}/read`);
  await expect.poll(() => ends.length).toBe(1);
  by = caller;
  const bySession = fetch(`http://127.0.0.1:${port}/read`);
  await expect.poll(() => ends.length).toBe(2);
  for (const end of ends) end();
  expect([(await byToken).status, (await bySession).status]).toEqual([200, 200]);
});

test('a handler that fails, and a file that fails at once, free their slot with the error', async () => {
  const failing: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('it failed')) }),
  };
  const port = await serve(routes({ read, file: { ...read, path: '/file', file: 'text/csv' } }), {
    read: () => Promise.reject(new Error('it failed')),
    file: () => failing,
  });
  for (const path of ['read', 'file', 'read', 'file'])
    expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status).toBe(500);
});

test('a download that waits for a slot is not checked meanwhile, and is authorized when it gets one', async () => {
  const timers = createTestClock(0);
  const ends: (() => void)[] = [];
  let identified = 0;
  let isSignedIn = true;
  const port = await serve(
    routes({ file: { ...read, path: '/file', file: 'text/csv' } }),
    { file: () => new Promise<string>((resolve) => ends.push(() => resolve('done'))) },
    {
      timers,
      identify: async () => {
        identified += 1;
        return isSignedIn ? caller : undefined;
      },
    },
  );
  const url = `http://127.0.0.1:${port}/file`;
  const first = fetch(url);
  await expect.poll(() => ends.length).toBe(1);
  const second = fetch(url);
  await fetch(`http://127.0.0.1:${port}/none`);
  const before = identified;
  expect(before).toBe(3);
  timers.advance(2);
  // The running download is checked.
  await expect.poll(() => identified).toBeGreaterThan(before);
  const checks = identified - before;
  isSignedIn = false;
  ends[0]?.();
  expect(await (await second).text()).toContain('not signed in');
  expect(identified - before - checks).toBe(1);
  expect(ends).toHaveLength(1);
  await first;
});

test('a file is read piece by piece, each when the client has taken the one before', async () => {
  const MB = 1_048_576;
  let read = 0;
  const port = await serve(
    routes({
      file: { method: 'GET', path: '/file', access: 'user', summary: '', answer: z.string(), file: 'text/csv' },
    }),
    {
      async *file() {
        for (; read < 100; read += 1) yield 'x'.repeat(MB);
      },
    },
  );
  const response = await fetch(`http://127.0.0.1:${port}/file`);
  await fetch(`http://127.0.0.1:${port}/none`);
  // The connection's own buffers take some.
  expect(read).toBeLessThan(50);
  expect((await response.text()).length).toBe(100 * MB);
  expect(read).toBe(100);
});

test.each(['records.read', 'root'] as const)('a file for %s without an audit entry is not mounted', async (access) => {
  const file = { ...read, access, path: '/file', file: 'text/csv' } as const;
  const handlers = { file: () => 'text' };
  await expect(serve(routes({ file }), handlers)).rejects.toThrow('GET /file does not declare the audit entry');
  const auditAs = { action: 'thing.export', target: 'thing' };
  await serve(routes({ file: { ...file, auditAs } }), handlers);
});

const losses = [
  ['the session has ended', undefined],
  ['the permission was removed', { ...caller, rights: new Set<Right>() }],
] as const;
const kinds = [
  ['a file', { file: 'text/csv' }],
  ['an event stream', { events: true }],
] as const;

test.each(kinds.flatMap((kind) => losses.map((loss) => [...kind, ...loss] as const)))(
  'the connection of %s breaks within a second when %s',
  async (_kind, { ...marks }, _how, left) => {
    const clock = createTestClock(0);
    let current: Caller | undefined = caller;
    let pieces = 0;
    const waits: (() => void)[] = [];
    const stream = {
      method: 'GET',
      path: '/stream',
      access: 'user',
      summary: '',
      answer: z.string(),
      ...marks,
    } as const;
    const port = await serve(
      routes({ stream }),
      {
        async *stream() {
          for (;;) {
            yield `piece ${(pieces += 1)};`;
            await new Promise<void>((resolve) => waits.push(resolve));
          }
        },
      },
      { timers: clock, identify: async () => current },
    );
    const response = await fetch(`http://127.0.0.1:${port}/stream`, { signal: AbortSignal.timeout(5_000) });
    clock.advance(1);
    await expect.poll(() => waits.length).toBe(1);
    waits.pop()?.();
    await expect.poll(() => pieces).toBe(2);
    current = left;
    clock.advance(1);
    await expect(response.text()).rejects.toThrow('terminated');
  },
);

test('a download continues when the step-up of its session expires', async () => {
  const clock = createTestClock(0);
  let isSteppedUp = true;
  const end = Promise.withResolvers<void>();
  const file = { ...read, path: '/file', stepUp: true, file: 'text/csv' } as const;
  const port = await serve(
    routes({ file }),
    {
      async *file() {
        yield 'first;';
        await end.promise;
        yield 'last';
      },
    },
    { timers: clock, identify: async () => ({ ...caller, steppedUp: isSteppedUp }) },
  );
  const response = await fetch(`http://127.0.0.1:${port}/file`);
  isSteppedUp = false;
  clock.advance(1);
  end.resolve();
  expect(await response.text()).toContain('first;last');
});

test('a long body is parsed and validated in turns with other work, a short one at once', async () => {
  const paced: number[] = [];
  const port = await serve(
    routes({ write }),
    { write: async ({ body }) => body.text.length },
    {
      runPaced: (userId, length, work) => {
        paced.push(userId, length);
        return work();
      },
    },
  );
  const send = async (body: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` },
      body,
    });
    return [response.status, await response.text()];
  };
  expect(await send('{"text":"abc"}')).toEqual([200, expect.stringContaining('3')]);
  expect(paced).toEqual([]);
  const long = JSON.stringify({ text: 'a'.repeat(10_000) });
  expect(await send(long)).toEqual([200, expect.stringContaining('10000')]);
  expect(paced).toEqual([caller.userId, long.length]);
  expect(await send(`${long}]`)).toEqual([500, expect.stringContaining('is not valid JSON')]);
});

test.each([
  ['a known', (text: string) => text],
  ['an unknown', (text: string) => new Blob([text]).stream()],
])('the bodies of a user with %s length are received one after another if they are long', async (_, format) => {
  const ends: (() => void)[] = [];
  const port = await serve(routes({ write }), {
    write: ({ body }) => new Promise<number>((resolve) => ends.push(() => resolve(body.text.length))),
  });
  const send = async (length: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` },
      body: format(JSON.stringify({ text: 'a'.repeat(length) })),
      duplex: 'half',
    });
    return response.status;
  };
  const sendShort = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/write`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` },
      body: '{"text":"a"}',
    });
    return response.status;
  };
  const first = send(40_000);
  await expect.poll(() => ends.length).toBe(1);
  const second = send(40_000);
  const short = sendShort();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.();
  expect(await short).toBe(200);
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(3);
  ends[2]?.();
  expect([await first, await second]).toEqual([200, 200]);
});
