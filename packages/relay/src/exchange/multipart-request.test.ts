import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { BOUNDARY, formBody, formRequest, sampleTarget } from '../testing/sample-requests.ts';
import { editForm, getFileBytes, readForm, readFormFields } from './multipart-request.ts';
import { planExchange } from './plan-exchange.ts';

const type = `multipart/form-data; boundary=${BOUNDARY}`;
const read = (body: Buffer) => readFormFields(body, readForm(body, type));
const file = Buffer.from([0, 255, 13, 10, 45, 45]);

describe('fields of a form', () => {
  it('reads form fields like JSON values, and files by size and name', () => {
    const body = formBody({ model: 'm', n: '2', stream: 'true', prompt: '12', 'image[]': file });
    expect(read(body)).toEqual({
      model: 'm',
      n: 2,
      stream: true,
      prompt: '12',
      image: [{ filename: 'image[].bin', content_type: 'application/octet-stream', bytes: 6 }],
    });
  });

  it('reads lists from names in brackets, or from several files of one name', () => {
    const twice = (name: string, value: string | Buffer) => {
      const one = formBody({ [name]: value });
      return Buffer.concat([one.subarray(0, one.length - BOUNDARY.length - 6), one]);
    };
    expect(read(twice('include[]', 'logprobs'))).toEqual({ include: ['logprobs', 'logprobs'] });
    expect(read(twice('image', file))['image']).toHaveLength(2);
    expect(() => read(twice('model', 'm'))).toThrow('model is given more than once');
  });

  it.each([
    [
      'that are not UTF-8',
      Buffer.from(formBody({ model: 'm?' }).toString('latin1').replace('m?', 'm\u00ff'), 'latin1'),
    ],
    ['that are too long', formBody({ prompt: 'x'.repeat(1_048_577) })],
    [
      'in another charset',
      Buffer.from(
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="model"\r\ncontent-type: text/plain; charset=utf-16\r\n\r\nm\r\n--${BOUNDARY}--`,
      ),
    ],
  ])('refuses %s', (_, body) => {
    expect(() => read(body)).toThrow(InvalidRequestError);
  });

  it('reads names like object paths as ordinary fields', () => {
    const fields = read(formBody({ __proto__x: 'a', constructor: 'b' }));
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(fields).toEqual({ __proto__x: 'a', constructor: 'b' });
  });
});

describe('a changed form', () => {
  const edit = (body: Buffer, changes: Record<string, unknown>): Buffer => {
    const before = read(body);
    return editForm(body, readForm(body, type), before, { ...before, ...changes });
  };

  it('keeps every byte except those of changed fields', () => {
    const body = formBody({ model: 'mine', file, language: 'de' });
    const edited = edit(body, { model: 'theirs', temperature: 0 });
    expect(read(edited)).toEqual({ ...read(body), model: 'theirs', temperature: '0' });
    expect(getFileBytes(edited, readForm(edited, type), 'file')).toEqual(file);
    expect(edited.includes('mine')).toBe(false);
  });

  it('returns the same buffer when nothing changes', () => {
    const body = formBody({ model: 'm' });
    expect(edit(body, {})).toBe(body);
  });

  it('removes fields, even all of them', () => {
    const body = formBody({ model: 'm', svg: 'x' });
    expect(read(edit(body, { svg: undefined }))).toEqual({ model: 'm' });
    expect(read(edit(body, { svg: undefined, model: undefined }))).toEqual({});
  });
});

it('sends a form with its boundary and the upstream’s model name', () => {
  const request = formRequest('openai-transcription', { model: 'mine', file });
  const target = sampleTarget('custom', { headers: { 'content-type': 'application/json' } });
  const { headers, body, url } = planExchange(request, target);
  expect(url).toBe('https://upstream.test/v1/audio/transcriptions');
  expect(headers.filter((text) => text === 'content-type')).toHaveLength(1);
  expect(headers[headers.indexOf('content-type') + 1]).toBe(`multipart/form-data; boundary="${BOUNDARY}"`);
  expect(read(body)).toMatchObject({ model: 'vendor-model' });
});
