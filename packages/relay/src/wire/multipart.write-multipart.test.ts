import { expect, test } from 'vitest';
import { encodeForm } from './multipart.ts';

test('writes texts, lists, objects and files, and prevents names from breaking out', async () => {
  const file = { bytes: Buffer.from([0, 255, 13, 10]), filename: 'a"\r\nx: y.mp3', contentType: 'audio/mpeg\r\nx: y' };
  const { bytes, headers } = encodeForm({
    text: 'é',
    list: [1, true],
    object: { a: 1 },
    none: null,
    gone: undefined,
    file,
  });
  const response = new Response(new Uint8Array(bytes), { headers });
  const form = await response.formData();
  expect([...form.keys()]).toEqual(['text', 'list', 'list', 'object', 'file']);
  expect(form.get('text')).toBe('é');
  expect(form.getAll('list')).toEqual(['1', 'true']);
  expect(form.get('object')).toBe('{"a":1}');
  const read = form.get('file');
  if (!(read instanceof File)) throw new Error('it is no file');
  expect(Buffer.from(await read.arrayBuffer())).toEqual(file.bytes);
});
