import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const sound = (type?: string, fields = {}): ResponseReader =>
  planExchange(sampleRequest('openai-speech', fields), sampleTarget('custom')).readResponse({ 'content-type': type });
const transcript = (type?: string): ResponseReader => {
  const request = formRequest('openai-transcription', {
    model: 'm',
    response_format: 'srt',
    file: Buffer.alloc(9_000),
  });
  return planExchange(request, sampleTarget('custom')).readResponse({ 'content-type': type });
};
const bytes = Buffer.from([1, 2, 3, 255]);

describe('an audio response', () => {
  it('passes audio through chunk by chunk and finishes only at its end', () => {
    const reader = sound('audio/mpeg');
    expect(reader.push(bytes)).toBe(bytes);
    expect(reader.meter).toMatchObject({ finished: false });
    expect(reader.meter.deliveredCharacters).toBeGreaterThan(0);
    expect(reader.end()).toHaveLength(0);
    expect(reader.meter).toMatchObject({ finished: true, usage: undefined, deliveredSample: '' });
  });

  it.each([
    ['audio/mpeg', {}, 'audio/mpeg'],
    ['audio/ogg; codecs=opus', {}, 'audio/ogg; codecs=opus'],
    ['binary/octet-stream', { response_format: 'wav' }, 'audio/wav'],
    [undefined, {}, 'audio/mpeg'],
    ['image/svg+xml', { response_format: 'constructor' }, 'application/octet-stream'],
  ])('of type %s, requested as %j, is sent as %s', (type, fields, told) => {
    expect(sound(type, fields).contentType).toBe(told);
  });

  it.each([
    ['an error', 'application/json', '{"error":{"message":"no such voice","code":"invalid_voice"}}', 'no such voice'],
    ['JSON', 'application/json; charset=utf-8', '{"audio":"…"}', 'requested content'],
    ['a page', 'text/html', '<html>', 'requested content'],
    ['nothing', 'audio/mpeg', '', 'empty'],
  ])('is refused without delivery if it is %s', (_, type, body, message) => {
    const reader = sound(type);
    expect(reader.push(Buffer.from(body))).toHaveLength(0);
    expect(() => reader.end()).toThrow(UpstreamError);
    expect(() => reader.end()).toThrow(message);
  });
});

describe('a transcript as text', () => {
  it('delivers a complete text transcript and counts its characters', () => {
    const reader = transcript('text/plain');
    expect(reader.push(Buffer.from('1\n00:00 -->'))).toHaveLength(0);
    reader.push(Buffer.from(' 00:01\nHi\n'));
    expect(reader.end().toString()).toBe('1\n00:00 --> 00:01\nHi\n');
    expect(reader.meter).toMatchObject({ finished: true, deliveredCharacters: 21 });
  });

  it('may be empty if nothing was spoken', () => {
    expect(transcript('text/plain').end()).toHaveLength(0);
  });

  it('never delivers a transcript as an HTML page', () => {
    const reader = transcript('text/html');
    reader.push(Buffer.from('<script>'));
    expect(() => reader.end()).toThrow(UpstreamError);
    expect(transcript('text/x-anything').contentType).toBe('text/plain; charset=utf-8');
    expect(transcript('text/vtt').contentType).toBe('text/vtt');
  });

  it('reads an error instead of a transcript, with any content type', () => {
    const reader = transcript('text/plain');
    reader.push(Buffer.from('{"error":{"message":"too long"}}'));
    expect(() => reader.end()).toThrow('too long');
  });

  it('aborts a text transcript above the limit', () => {
    const reader = transcript('text/plain');
    const chunk = Buffer.alloc(16 * 1024 * 1024, 'x');
    expect(() => {
      for (let count = 0; count < 6; count++) reader.push(chunk);
    }).toThrow('too large');
  });
});
