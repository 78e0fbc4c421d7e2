import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { formBoundary, readFormParts } from './multipart.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const part = (disposition: string, content: string, more = ''): string =>
  `--b\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${content}\r\n`;
const form = (...parts: string[]): Buffer => bytes(`${parts.join('')}--b--\r\n`);
const read = (body: Buffer) =>
  readFormParts(body, 'b').map(({ name, filename, contentType, contentStart, contentEnd }) => ({
    name,
    filename,
    contentType,
    content: body.toString('latin1', contentStart, contentEnd),
  }));

describe('a form', () => {
  it('finds a form’s fields in its bytes, whatever its files contain', () => {
    const file = '\r\n\r\n--\r\n\u0000\u00ff--a--';
    const body = form(
      part('form-data; name="model"', 'whisper-1'),
      part('form-data; name="file"; filename="a \\"b\\".wav"', file, 'Content-Type: audio/wav\r\n'),
      part('form-data; name=empty', ''),
    );
    expect(read(body)).toEqual([
      { name: 'model', filename: undefined, contentType: '', content: 'whisper-1' },
      { name: 'file', filename: 'a "b".wav', contentType: 'audio/wav', content: file },
      { name: 'empty', filename: undefined, contentType: '', content: '' },
    ]);
  });

  it('may be empty', () => {
    expect(read(form())).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['something before it', `preamble\r\n${part('form-data; name="a"', 'x')}--b--`],
    ['something behind it', `${part('form-data; name="a"', 'x')}--b--\r\nmore`],
    ['no end', part('form-data; name="a"', 'x')],
    ['bare line feeds', '--b\nContent-Disposition: form-data; name="a"\n\nx\n--b--\n'],
    ['its boundary within a file', `${part('form-data; name="a"', 'x\r\n--bc\r\ny')}--b--`],
    ['its boundary in the middle of a line', `${part('form-data; name="a"', 'x --b y')}--b--`],
    ['a part without headers', '--b\r\n\r\nx\r\n--b--'],
    ['a part without a name', `${part('form-data', 'x')}--b--`],
    ['two names', `${part('form-data; name="a"; name="b"', 'x')}--b--`],
    ['a name in another charset', `${part("form-data; name=a; name*=utf-8''model", 'x')}--b--`],
    ['a name that no field has', `${part('form-data; name="mo del"', 'x')}--b--`],
    ['something behind the name', `${part('form-data; name="model" x', 'x')}--b--`],
    ['another disposition', `${part('attachment; name="a"', 'x')}--b--`],
    ['two dispositions', `${part('form-data; name="a"', 'x', 'content-disposition: form-data; name="b"\r\n')}--b--`],
    ['a folded header', `${part('form-data;\r\n name="a"', 'x')}--b--`],
    ['base64', `${part('form-data; name="a"', 'eA==', 'Content-Transfer-Encoding: base64\r\n')}--b--`],
    ['a header that is too long', `${part('form-data; name="a"', 'x', `X-A: ${'a'.repeat(5_000)}\r\n`)}--b--`],
    ['too many parts', `${part('form-data; name="a"', 'x').repeat(101)}--b--`],
  ])('is refused with %s', (_, text) => {
    expect(() => readFormParts(bytes(text), 'b')).toThrow(InvalidRequestError);
  });

  it('reads or refuses a form in bounded time, whatever it contains', () => {
    const token = fc.constantFrom('--b', '\r\n', '--', 'Content-Disposition: form-data; name="a"', ';', 'x', '\0');
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        try {
          readFormParts(bytes(tokens.join('')), 'b');
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
        }
      }),
      { numRuns: 2_000 },
    );
    const long = form(part(`form-data; name="a"${'; a=b'.repeat(700)}`, 'x'));
    expect(() => readFormParts(long, 'b')).toThrow(InvalidRequestError);
  });

  it('refuses a header with thousands of spaces in microseconds', () => {
    const spaces = form(part('form-data; name="a"', 'x', `X-A:${' '.repeat(4_000)}\0\r\n`));
    const readCpuMs = startCpuTimer();
    for (let time = 0; time < 100; time++) expect(() => readFormParts(spaces, 'b')).toThrow(InvalidRequestError);
    expect(readCpuMs()).toBeLessThan(500);
  });
});

describe('the boundary', () => {
  it.each([
    ['multipart/form-data; boundary=----formdata-undici-0123', '----formdata-undici-0123'],
    ['Multipart/Form-Data;boundary="a b"', undefined],
    ['multipart/form-data; charset=utf-8; boundary="a=b"', 'a=b'],
    ['multipart/form-data; boundary=a; boundary=b', undefined],
    ['multipart/form-data', undefined],
    ['multipart/mixed; boundary=a', undefined],
    [`multipart/form-data; boundary=${'a'.repeat(71)}`, undefined],
    ['multipart/form-data; boundary=a\u00ffb', undefined],
  ])('in %s is %s', (header, boundary) => {
    expect(formBoundary(header)).toBe(boundary);
  });

  it('finds no boundary in a long header without delay', () => {
    expect(formBoundary(`multipart/form-data;${' ;'.repeat(8_000)}`)).toBeUndefined();
  });
});
