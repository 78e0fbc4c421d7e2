import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decryptStream, encryptStream, FileDamagedError, readHead } from './sealed-file.ts';

const PIECE = 1_048_576;
const SEALED_PIECE = PIECE + 16;
const HEAD = '{"format":"of a test"}';
const folder = mkdtempSync(join(tmpdir(), 'switchyard-sealed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const key = createSecretKey(randomBytes(32));
const file = join(folder, 'file');

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function* cut(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < content.length; position += size) yield content.subarray(position, position + size);
}

const seal = (content: Buffer, size = 65_536): Promise<Buffer> => collect(encryptStream(HEAD, key, cut(content, size)));

async function openBytes(bytes: Buffer): Promise<Buffer> {
  writeFileSync(file, bytes);
  return collect(decryptStream(file, (await readHead(file)) ?? '', key));
}

test.each([0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 7])(
  '%i bytes come back as they were, however they were cut when they came',
  async (length) => {
    const content = randomBytes(length);
    for (const size of [65_536, 5 * PIECE])
      expect((await openBytes(await seal(content, size))).equals(content)).toBe(true);
  },
);

test('only the first line is readable without the key', async () => {
  const sealed = await seal(Buffer.from('what nobody shall read'));
  writeFileSync(file, sealed);
  expect(await readHead(file)).toBe(HEAD);
  expect(sealed.includes('what nobody')).toBe(false);
});

const content = randomBytes(3 * PIECE + 100);
const start = HEAD.length + 1;
const piece = (sealed: Buffer, nth: number): Buffer =>
  sealed.subarray(start + nth * SEALED_PIECE, start + (nth + 1) * SEALED_PIECE);

test.each<[string, (sealed: Buffer) => Buffer]>([
  ['one bit of the content', (sealed) => flip(sealed, start + 5)],
  ['one bit of a tag', (sealed) => flip(sealed, sealed.length - 1)],
  ['one bit of the first line', (sealed) => flip(sealed, HEAD.length - 4)],
  ['its end, in the middle of a piece', (sealed) => sealed.subarray(0, -50)],
  ['its last piece', (sealed) => sealed.subarray(0, start + 3 * SEALED_PIECE)],
  ['its last pieces', (sealed) => sealed.subarray(0, start + SEALED_PIECE)],
  ['all its pieces', (sealed) => sealed.subarray(0, start)],
  [
    'a piece in the middle',
    (sealed) => Buffer.concat([sealed.subarray(0, start), piece(sealed, 0), sealed.subarray(start + 2 * SEALED_PIECE)]),
  ],
  [
    'the order of two pieces',
    (sealed) =>
      Buffer.concat([
        sealed.subarray(0, start),
        piece(sealed, 1),
        piece(sealed, 0),
        sealed.subarray(start + 2 * SEALED_PIECE),
      ]),
  ],
  ['that nothing follows', (sealed) => Buffer.concat([sealed, Buffer.alloc(40)])],
  ['that there is one end', (sealed) => Buffer.concat([sealed, sealed.subarray(start + 3 * SEALED_PIECE)])],
])('a file whose writer would miss %s does not open', async (_what, change) => {
  await expect(openBytes(change(await seal(content)))).rejects.toThrow(new FileDamagedError(file));
});

test('a file that is something else has no first line', async () => {
  writeFileSync(
    file,
    randomBytes(200_000).map((byte) => (byte === 10 ? 11 : byte)),
  );
  expect(await readHead(file)).toBe(undefined);
});

function flip(bytes: Buffer, position: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(position) ^ 1, position);
  return changed;
}
