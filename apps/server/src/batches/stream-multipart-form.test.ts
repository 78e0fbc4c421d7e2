import { buffer } from 'node:stream/consumers';
import { InvalidRequestError } from '@switchyard/relay';
import { describe, expect, test } from 'vitest';
import { readFormParts, readPartText } from './stream-multipart-form.ts';

const CRLF = '\r\n';
const part = (name: string, content: string, filename?: string): string =>
  [
    '--line',
    `content-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`,
    '',
    `${content}${CRLF}`,
  ].join(CRLF);
const form = (...parts: string[]): Buffer => Buffer.from(`${parts.join('')}--line--${CRLF}`);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = bytes.length) {
  const parts: { name: string; filename: string | undefined; content: string }[] = [];
  for await (const { name, filename, content } of readFormParts(inPieces(bytes, size), 'line'))
    parts.push({ name, filename, content: (await buffer(content)).toString() });
  return parts;
}

describe('a form that arrives', () => {
  const content = `first${CRLF}--lin${CRLF}--other${CRLF}é—last`;
  const bytes = form(part('purpose', 'batch'), part('file', content, 'ü.jsonl'), part('empty', ''));

  test.each([1, 2, 3, 5, 7, 16, 64, 10_000])('has the same parts in pieces of %i bytes', async (size) => {
    expect(await read(bytes, size)).toEqual([
      { name: 'purpose', filename: undefined, content: 'batch' },
      { name: 'file', filename: 'ü.jsonl', content },
      { name: 'empty', filename: undefined, content: '' },
    ]);
  });

  test('never has more in memory than has arrived', async () => {
    const piece = Buffer.alloc(100_000, 'x');
    let most = 0;
    async function* long(): AsyncGenerator<Buffer> {
      yield Buffer.from(part('file', '', 'a').slice(0, -CRLF.length));
      for (let nth = 0; nth < 100; nth += 1) yield piece;
      yield Buffer.from(`${CRLF}--line--`);
    }
    let bytesRead = 0;
    for await (const { content } of readFormParts(long(), 'line'))
      for await (const found of content) {
        most = Math.max(most, found.length);
        bytesRead += found.length;
      }
    expect(bytesRead).toBe(100 * piece.length);
    expect(most).toBeLessThan(2 * piece.length);
  });
});

test.each<[string, string]>([
  ['nothing', ''],
  ['no boundary', 'hello'],
  ['another boundary', part('a', 'b').replaceAll('--line', '--lime')],
  ['no end', part('a', 'b')],
  ['an end within a part', part('a', 'b').slice(0, -4)],
  ['a boundary that goes on', `${part('a', 'b')}--lines${CRLF}`],
  ['a part without headers', `--line${CRLF}${CRLF}${CRLF}x${CRLF}--line--`],
  ['a part without a name', `--line${CRLF}content-disposition: form-data${CRLF}${CRLF}x${CRLF}--line--`],
  ['headers without end', `--line${CRLF}x: ${'y'.repeat(5_000)}`],
  ['too many parts', `${part('a', 'b').repeat(21)}--line--`],
])('a form with %s is refused', async (_what, text) => {
  for (const size of [1, 100_000])
    await expect(read(Buffer.from(text), size)).rejects.toBeInstanceOf(InvalidRequestError);
});

test('a field has a length', async () => {
  expect(await readPartText(inPieces(Buffer.from('12345'), 2), 5)).toBe('12345');
  await expect(readPartText(inPieces(Buffer.from('123456'), 2), 5)).rejects.toBeInstanceOf(InvalidRequestError);
});
