import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { createPublicResolver, type ResolveName } from './public-resolver.ts';

/** https://www.rfc-editor.org/rfc/rfc1035#section-4.1.1 */
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];
const [A, AAAA] = [1, 28];
const V4 = Buffer.from([192, 0, 2, 1]);
const V6 = Buffer.from('20010db8000000000000000000000001', 'hex');

/** Responses of this test's name server, for each type of query; it leaves all other queries unanswered. */
const zone: Readonly<Record<string, Readonly<Record<number, number | Buffer>>>> = {
  four: { [A]: V4, [AAAA]: NO_ERROR },
  six: { [A]: NO_ERROR, [AAAA]: V6 },
  both: { [A]: V4, [AAAA]: V6 },
  nobody: { [A]: NO_SUCH_NAME, [AAAA]: NO_SUCH_NAME },
  empty: { [A]: NO_ERROR, [AAAA]: NO_ERROR },
  failing: { [A]: SERVER_FAILURE, [AAAA]: SERVER_FAILURE },
  'half-failing': { [A]: NO_SUCH_NAME, [AAAA]: SERVER_FAILURE },
  'half-silent': { [A]: V4 },
};

let server: Socket;
let resolve: ResolveName;

beforeAll(async () => {
  server = createSocket('udp4', (question, { port, address }) => {
    const reply = replyTo(question);
    if (reply !== undefined) server.send(reply, port, address);
  });
  await new Promise<void>((done) => {
    server.bind(0, '127.0.0.1', done);
  });
  const servers = [`127.0.0.1:${server.address().port}`];
  resolve = createPublicResolver(createTestClock(0), { servers, timeoutMs: 20 });
});
afterAll(() => server.close());

function replyTo(question: Buffer): Buffer | undefined {
  const nameEnd = question.indexOf(0, 12);
  const label = question.toString('latin1', 13, 13 + (question[12] ?? 0));
  const result = zone[label]?.[question.readUInt16BE(nameEnd + 1)];
  if (result === undefined) return undefined;
  const isAddress = typeof result !== 'number';
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180 + (isAddress ? NO_ERROR : result), 2);
  head.writeUInt16BE(isAddress ? 1 : 0, 6);
  head.fill(0, 8);
  const questionBytes = question.subarray(12, nameEnd + 5);
  if (!isAddress) return Buffer.concat([head, questionBytes]);
  // A pointer to the name, its type and class; a minute to live, the length and the address.
  const record = Buffer.concat([Buffer.from([0xc0, 12]), questionBytes.subarray(-4), Buffer.from([0, 0, 0, 60, 0])]);
  return Buffer.concat([head, questionBytes, record, Buffer.from([result.length]), result]);
}

const [FOUR, SIX] = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

test.each([
  ['four.test', [FOUR]],
  ['six.test', [SIX]],
  ['both.test', [FOUR, SIX]],
  ['half-silent.test', [FOUR]],
  ['localhost', LOOPBACK],
  ['LOCALHOST.', LOOPBACK],
  ['a.localhost', LOOPBACK],
])('resolves %s', async (host, addresses) => {
  expect(await resolve(host, 1_000)).toEqual(addresses);
});

test.each([
  ['nobody.test', 'ENOTFOUND'],
  ['empty.test', 'ENOTFOUND'],
  [`${'x'.repeat(64)}.test`, 'ENOTFOUND'],
  ['failing.test', 'EAI_AGAIN'],
  ['half-failing.test', 'EAI_AGAIN'],
  ['silent.test', 'EAI_AGAIN'],
])('fails for %s with the code %s', async (host, code) => {
  await expect(resolve(host, 1_000)).rejects.toMatchObject({ code });
});
