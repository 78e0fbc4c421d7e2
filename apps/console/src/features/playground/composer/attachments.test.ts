import { expect, it } from 'vitest';
import { limitsOf, readAttachment } from './attachments.ts';

const file = (content: BlobPart, name: string, type: string) => new File([content], name, { type });
const { text: forModel, transcript: forTranscript } = limitsOf;
if (forModel === undefined || forTranscript === undefined) throw new Error('the limits of attachments are missing');

it.each([
  ['an image', file('x', 'a.png', 'image/png'), 'data:image/png;base64,eA=='],
  ['a PDF', file('x', 'a.pdf', 'application/pdf'), 'data:application/pdf;base64,eA=='],
  ['audio with another media type', file('x', 'a.wav', 'audio/x-wav'), 'data:audio/wav;base64,eA=='],
  ['text', file('# hé', 'a.md', 'text/markdown'), 'data:text/plain;base64,IyBow6k='],
  ['text without a media type', file('fn', 'a.zig', ''), 'data:text/plain;base64,Zm4='],
  // An SVG image could contain a script.
  ['an SVG, as text', file('<svg>', 'a.svg', 'image/svg+xml'), 'data:text/plain;base64,PHN2Zz4='],
])('attaches %s', async (_what, given, data) => {
  expect(await readAttachment(given, forModel)).toEqual({ name: given.name, data });
});

it.each([
  ['binary data', file(new Uint8Array([0xff, 0xfe]), 'a.bin', ''), 'notAttachable'],
  ['text with null characters', file('a\0b', 'a.bin', 'text/plain'), 'notAttachable'],
  ['a large file', file('x'.repeat(5 * 1_048_576 + 1), 'a.txt', 'text/plain'), 'fileTooLarge'],
])('rejects %s', async (_what, given, refusal) => {
  expect(await readAttachment(given, forModel)).toBe(refusal);
});

it('accepts only audio for transcription, of any kind', async () => {
  const call = file('x', 'call.ogg', 'audio/ogg; codecs=opus');
  expect(await readAttachment(call, forTranscript)).toEqual({ name: 'call.ogg', data: 'data:audio/ogg;base64,eA==' });
  expect(await readAttachment(file('x', 'a.txt', 'text/plain'), forTranscript)).toBe('notARecording');
});
