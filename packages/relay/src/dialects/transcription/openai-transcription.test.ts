import { describe, expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import type { ResponseReader } from '../../model/upstream-exchange.ts';
import { formRequest, sampleTarget } from '../../testing/sample-requests.ts';
import { parseSseEvents } from '../../wire/sse.ts';

const file = Buffer.alloc(80_000);
const request = (fields: Record<string, string> = {}) =>
  formRequest('openai-transcription', { model: 'm', file, ...fields });
const reader = (fields: Record<string, string> = {}, type = 'application/json'): ResponseReader =>
  planExchange(request(fields), sampleTarget('openai')).readResponse({ 'content-type': type });

function whole(body: object) {
  const answer = reader();
  answer.push(Buffer.from(JSON.stringify(body)));
  answer.end();
  return answer.meter;
}

describe('a non-streaming transcript', () => {
  it.each([
    [{ usage: { type: 'duration', seconds: 3 } }, { second: 3, input: 0 }],
    [{ duration: 7.2 }, { second: 8 }],
    [{ duration: 0.1 }, { second: 1 }],
    [
      { usage: { prompt_audio_seconds: 12, prompt_tokens: 4, completion_tokens: 27, total_tokens: 635 } },
      { second: 12, input: 0, output: 0 },
    ],
    [
      {
        usage: {
          type: 'tokens',
          input_tokens: 14,
          input_token_details: { text_tokens: 4, audio_tokens: 10 },
          output_tokens: 45,
        },
      },
      { second: 0, input: 4, audioInput: 10, output: 45 },
    ],
    [{ usage: { input_tokens: 5, input_token_details: { audio_tokens: 99 } } }, { input: 0, audioInput: 5 }],
  ])('counts for the report %j the usage %j', (body, usage) => {
    expect(whole({ text: 'Hello', ...body })).toMatchObject({ finished: true, usage });
  });

  it.each([[{}], [{ duration: 'long' }], [{ duration: -1 }], [{ usage: { seconds: null } }], [{ usage: [] }]])(
    'reads no usage from %j',
    (body) => {
      expect(whole({ text: 'Hello', ...body })).toMatchObject({ usage: undefined, deliveredCharacters: 5 });
    },
  );
});

describe('a transcript', () => {
  it.each([{ text: '' }, { text: '', segments: [] }, { segments: [{ text: 'Hello' }] }])('may be empty: %j', (body) => {
    expect(whole(body)).toMatchObject({ finished: true });
  });

  it.each([{}, { text: null }, { duration: 7.2 }, { usage: { type: 'duration', seconds: 3 } }, { text: 7 }])(
    'is refused if missing: %j',
    (body) => {
      expect(() => whole(body)).toThrow('0 results instead of 1');
    },
  );
});

describe('a stream', () => {
  const delta = 'data: {"type":"transcript.text.delta","delta":"Hello"}\n\n';
  const done =
    'data: {"type":"transcript.text.done","text":"Hello","usage":{"type":"tokens","input_tokens":9,"input_token_details":{"audio_tokens":9},"output_tokens":2}}\n\n';

  it('ends with the reported usage', () => {
    const answer = reader({ stream: 'true' }, 'text/event-stream');
    answer.push(Buffer.from(delta));
    expect(answer.meter).toMatchObject({ finished: false, deliveredCharacters: 5 });
    answer.push(Buffer.from(done));
    answer.end();
    expect(answer.meter).toMatchObject({ finished: true, usage: { audioInput: 9, output: 2 } });
  });

  it('converts Mistral’s events to OpenAI’s and meters them, each piece of text once', () => {
    const answer = reader({ stream: 'true' }, 'text/event-stream');
    const eventOf = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    const pieces = ['Hello', ', Ruby.'].map((text) => ({ type: 'transcription.text.delta', text }));
    const spoken = { text: 'Hello, Ruby.', start: 0, end: 3 };
    const segments = [{ type: 'transcription_segment', ...spoken }];
    const usage = { prompt_audio_seconds: 3, prompt_tokens: 8, completion_tokens: 4, total_tokens: 387 };
    const events = [
      { type: 'transcription.language', audio_language: 'en' },
      ...pieces,
      { type: 'transcription.segment', ...spoken, speaker_id: 'a' },
    ];
    let written = events.map((event) => answer.push(Buffer.from(eventOf(event))).toString()).join('');
    expect(answer.meter).toMatchObject({ finished: false, deliveredCharacters: 12, usage: undefined });
    const last = { type: 'transcription.done', model: 'm', text: 'Hello, Ruby.', segments, usage };
    written += answer.push(Buffer.from(eventOf(last))).toString() + answer.end().toString();
    expect(answer.meter).toMatchObject({ finished: true, deliveredCharacters: 12, usage: { second: 3, output: 0 } });
    expect(parseSseEvents(Buffer.from(written)).map(({ data }) => JSON.parse(data))).toEqual([
      { type: 'transcript.text.delta', delta: 'Hello' },
      { type: 'transcript.text.delta', delta: ', Ruby.' },
      { type: 'transcript.text.segment', id: 'seg_0', ...spoken, speaker: 'a' },
      { type: 'transcript.text.done', text: 'Hello, Ruby.' },
    ]);
  });

  it('leaves OpenAI’s events unchanged, also if a transcript names Mistral’s', () => {
    const answer = reader({ stream: 'true' }, 'text/event-stream');
    const event = { type: 'transcript.text.delta', delta: '"transcription.done"' };
    const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    expect(answer.push(bytes)).toEqual(bytes);
  });

  it('treats a stream without its final event as cut', () => {
    const answer = reader({ stream: 'true' }, 'text/event-stream');
    answer.push(Buffer.from(delta));
    expect(() => answer.end()).toThrow('before the response was complete');
  });

  it('accepts a complete response in place of a stream', () => {
    const answer = reader({ stream: 'true' });
    answer.push(Buffer.from('{"text":"Hello","usage":{"type":"duration","seconds":4}}'));
    expect(answer.end().toString()).toContain('Hello');
    expect(answer.meter).toMatchObject({ finished: true, usage: { second: 4 } });
  });
});

describe('a request', () => {
  it('estimates the seconds of the recording', () => {
    expect(request().facts.expected).toMatchObject({
      unit: 'second',
      isCounted: false,
      usage: { second: 10, audioInput: 100, output: 40 },
    });
  });

  it.each(['openai-transcription', 'openai-translation'] as const)(
    'transcribes the recording whose length is charged, and no other: %s',
    (format) => {
      const others = { file_url: 'https://a.test/long.mp3', file_id: 'long', url: 'https://a.test/long.mp3' };
      for (const [field, value] of Object.entries(others))
        for (const name of [field, `${field}[]`]) {
          const sent = formRequest(format, { model: 'm', [name]: value, file, language: 'en' });
          const { body, dropped } = planExchange(sent, sampleTarget('openai'));
          expect(dropped).toEqual([field]);
          const text = body.toString('latin1');
          expect(text).not.toContain(value);
          expect(text).toContain('name="language"');
          expect(body.includes(file)).toBe(true);
        }
    },
  );

  it('refuses a request without a file, or with a text instead', () => {
    expect(() => formRequest('openai-transcription', { model: 'm' })).toThrow('Missing required parameter: file');
    expect(() => formRequest('openai-transcription', { model: 'm', file: 'x' })).toThrow('file');
  });
});
