import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { m4a } from '../testing/sample-recordings.ts';
import { formRequest, sampleTarget } from '../testing/sample-requests.ts';
import { computeUnitUsage, type UnitUsage } from './billable-usage.ts';
import type { ClientRequest } from './client-request.ts';
import { sanitizeMeter } from './plausible-usage.ts';

const MINUTES = 20;
/** A recording of twenty minutes with this movie header, of which no table can be read. */
const unreadable = Buffer.concat([m4a(0.064, { movie: 1, media: 1, delta: 0 }), Buffer.alloc(MINUTES * 60 * 1_500)]);
const words = (count: number): string => 'word '.repeat(count);
const request = (format: string, file: Buffer = unreadable): ClientRequest =>
  formRequest('openai-transcription', { model: 'm', file, response_format: format });

function billed(asked: ClientRequest, body: string, isPricedByUnit: boolean): UnitUsage {
  const reader = planExchange(asked, sampleTarget('openai')).readResponse({
    'content-type': body.startsWith('{') ? 'application/json' : 'text/plain',
  });
  reader.push(Buffer.from(body));
  reader.end();
  const { expected } = asked.facts;
  if (expected === undefined) throw new Error('nothing is expected of this request');
  return computeUnitUsage(asked, expected, sanitizeMeter(asked, reader.meter), isPricedByUnit);
}

const subtitles = (end: string): string =>
  `1\n00:00:00,000 --> 00:00:02,000\nHi\n\n2\n00:00:02,000 --> ${end}\nthere\n`;

describe('a transcript', () => {
  it.each<[string, string, string, number]>([
    ['subtitles', 'srt', subtitles('00:19:59,500'), 1_200],
    ['segments without a duration', 'verbose_json', '{"text":"Hi","segments":[{"end":1199.5}]}', 1_200],
    ['words as usual speech has them', 'text', words(3_000), 300],
    ['wide words as usual speech has them', 'text', '你好'.repeat(3_000), 400],
    ['a JSON text', 'json', JSON.stringify({ text: words(3_000).trim() }), 300],
  ])('makes a recording as long as its %s, and marks it', (_, format, body, seconds) => {
    const { usage, source } = billed(request(format), body, true);
    expect(usage.second).toBe(seconds);
    expect(usage.implausible).toEqual(['second']);
    expect(source).toBe('counted');
  });

  it.each([
    ['words', words(3_000), 1_000],
    ['wide words', '你好'.repeat(2_250), 1_000],
  ])('makes a recording of an unknown format as long as its %s usually are', (_, body, seconds) => {
    const { usage, source } = billed(request('text', Buffer.alloc(MINUTES * 60 * 1_000, 1)), body, true);
    expect(usage.second).toBe(seconds);
    expect(usage.implausible).toBeUndefined();
    expect(source).toBe('estimated');
  });

  it('charges the tokens of a transcript if tokens have the price', () => {
    const { usage } = billed(request('text'), words(3_000), false);
    expect(usage).toMatchObject({ audioInput: 3_000, implausible: ['second'] });
    expect(usage.output).toBeGreaterThan(3_000);
  });

  it.each<[string, string, string]>([
    ['words that are spoken fast', 'text', words(30 * 9)],
    ['subtitles that end with half a minute', 'srt', subtitles('00:00:30,000')],
    ['a time for each word', 'srt', subtitles('00:00:20,000').repeat(200)],
    ['nothing', 'text', ''],
  ])('does not change the length of a correct recording: %s', (_, format, body) => {
    const { usage } = billed(request(format, m4a(30)), body, true);
    expect(usage.second).toBe(30);
    expect(usage.implausible).toBeUndefined();
  });

  it('does not make a recording longer than its bytes allow', () => {
    const { usage } = billed(request('srt', m4a(30)), subtitles('99:59:59,000'), true);
    expect(usage).toMatchObject({ second: 30, implausible: ['second'] });
  });

  it('does not change the vendor’s report', () => {
    const body = '{"text":"Hi","duration":40,"segments":[{"end":39.5}]}';
    expect(billed(request('verbose_json', m4a(30)), body, true)).toMatchObject({
      usage: { second: 40 },
      source: 'reported',
    });
  });
});

it('marks a recording whose header states less than decoders play', () => {
  const file = m4a(600, { movie: 1 });
  const { usage } = billed(request('text', file), words(600), true);
  expect(usage).toMatchObject({ second: 600, implausible: ['second'] });
});
