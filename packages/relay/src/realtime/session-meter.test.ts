import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../json/json.ts';
import { emptyUsage, tokenCounters, usageCounters } from '../model/usage.ts';
import { SessionMeter } from './session-meter.ts';

const second = (bytesPerSecond: number): string => Buffer.alloc(bytesPerSecond).toString('base64');
const append = (audio: string) => ({ type: 'input_audio_buffer.append', audio });
const spoken = (delta: string, id = 'r1') => ({ type: 'response.output_audio.delta', response_id: id, delta });
const written = (delta: string, id = 'r1') => ({ type: 'response.output_text.delta', response_id: id, delta });
const done = (usage?: unknown, id = 'r1') => ({ type: 'response.done', response: { id, usage } });

/** Of an OpenAI session, from the API reference of October 2026. */
const reported = {
  total_tokens: 275,
  input_tokens: 127,
  output_tokens: 148,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 8,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 64, audio_tokens: 0 },
  },
  output_token_details: { text_tokens: 36, audio_tokens: 112 },
};

describe('reported usage', () => {
  it('splits the reported usage into disjoint counters', () => {
    const metered = new SessionMeter('gpt-realtime').meterUpstreamEvent(done(reported));
    expect(metered).toEqual({
      source: 'reported',
      model: undefined,
      usage: { ...emptyUsage(), input: 55, cachedRead: 64, audioInput: 8, output: 36, audioOutput: 112 },
    });
  });

  it('bills each response separately', () => {
    const meter = new SessionMeter('gpt-realtime');
    expect(meter.meterUpstreamEvent(done(reported))?.usage).toEqual(
      meter.meterUpstreamEvent(done(reported, 'r2'))?.usage,
    );
  });

  it('bills a repeated response once', () => {
    const meter = new SessionMeter('gpt-realtime');
    expect(meter.meterUpstreamEvent(done(reported))).toBeDefined();
    expect(meter.meterUpstreamEvent(done(reported))).toBeUndefined();
    for (let at = 0; at < 10_000; at += 1)
      expect(meter.meterUpstreamEvent(done(reported, `other-${at}`))).toBeDefined();
  });

  it('counts images and audio separately, without the cached part', () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 10,
      input_token_details: {
        text_tokens: 20,
        audio_tokens: 30,
        image_tokens: 50,
        cached_tokens: 60,
        cached_tokens_details: { text_tokens: 10, audio_tokens: 20, image_tokens: 30 },
      },
    };
    expect(new SessionMeter('m').meterUpstreamEvent(done(usage))?.usage).toMatchObject({
      input: 10,
      audioInput: 10,
      imageInput: 20,
      cachedRead: 60,
      output: 10,
      audioOutput: 0,
    });
  });

  it('sums up the details when the totals are missing', () => {
    const usage = { input_token_details: { text_tokens: 3, audio_tokens: 4 }, output_token_details: {} };
    expect(new SessionMeter('m').meterUpstreamEvent(done(usage))?.usage).toMatchObject({ input: 3, audioInput: 4 });
  });
});

describe('an implausible report', () => {
  const counters = [
    'input_tokens',
    'output_tokens',
    'input_token_details.text_tokens',
    'input_token_details.audio_tokens',
    'input_token_details.image_tokens',
    'input_token_details.cached_tokens',
    'input_token_details.cached_tokens_details.audio_tokens',
    'output_token_details.audio_tokens',
  ];
  const heard = (): SessionMeter => {
    const meter = new SessionMeter('gpt-realtime');
    meter.recordClientEvent(append(second(48_000 * 2)));
    meter.meterUpstreamEvent(written('word '.repeat(100)));
    return meter;
  };

  it.each(counters)('neither multiplies the charge nor affects the next one: %s', (counter) => {
    for (const value of [5_000_000, 1e15, 1e308]) {
      const meter = heard();
      const usage = structuredClone(reported);
      const path = counter.split('.');
      const holder = path.slice(0, -1).reduce<Record<string, unknown>>((object, name) => objectOf(object[name]), usage);
      holder[path.at(-1) ?? ''] = value;
      const metered = meter.meterUpstreamEvent(done(usage));
      const tokens = tokenCounters.reduce((sum, name) => sum + (metered?.usage[name] ?? 0), 0);
      expect(tokens).toBeLessThanOrEqual(2 * 275);
      meter.meterUpstreamEvent(written('word', 'r2'));
      const next = meter.meterUpstreamEvent(done(undefined, 'r2'));
      expect(next?.usage.input).toBeLessThanOrEqual(2 * 275);
      expect(next?.usage.audioInput).toBeLessThanOrEqual(2 * 275);
      const isUsed = counter !== 'input_token_details.text_tokens';
      expect(metered?.usage.implausible !== undefined).toBe(isUsed);
    }
  });

  it('replaces the implausible duration of a transcription by the length of the audio', () => {
    const meter = heard();
    const metered = meter.meterUpstreamEvent({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'i',
      transcript: 'word word',
      usage: { type: 'duration', seconds: 3_600_000 },
    });
    expect(metered).toMatchObject({
      source: 'estimated',
      usage: { second: 2, audioInput: 20, implausible: ['second'] },
    });
  });
});

describe('unreported usage', () => {
  it('estimates unreported usage from the preceding audio and text and the delivered output', () => {
    const meter = new SessionMeter('gpt-realtime');
    meter.recordClientEvent(append(second(48_000)));
    meter.recordClientEvent({
      type: 'conversation.item.create',
      item: { type: 'message', content: [{ type: 'input_text', text: 'twelve chars' }] },
    });
    meter.meterUpstreamEvent(written('eight ch'));
    meter.meterUpstreamEvent(spoken(second(24_000)));
    const first = meter.meterUpstreamEvent(done(null));
    expect(first).toMatchObject({
      source: 'estimated',
      usage: { audioInput: 10, input: 3, output: 2, audioOutput: 10 },
    });
    meter.meterUpstreamEvent(written('four', 'r2'));
    const next = meter.meterUpstreamEvent(done(undefined, 'r2'));
    expect(next?.usage).toMatchObject({ audioInput: 20, input: 5, output: 1 });
  });

  it('estimates the audio’s length by the session’s format', () => {
    const meter = new SessionMeter('gpt-realtime');
    const format = { type: 'audio/pcmu' };
    meter.meterUpstreamEvent({
      type: 'session.updated',
      session: { audio: { input: { format }, output: { format } } },
    });
    meter.recordClientEvent(append(second(8_000)));
    meter.meterUpstreamEvent(spoken(second(8_000)));
    expect(meter.meterUpstreamEvent(done())?.usage).toMatchObject({ audioInput: 10, audioOutput: 20 });
  });

  it('bills nothing for a response without usage and without output', () => {
    expect(new SessionMeter('m').meterUpstreamEvent(done(null))).toBeUndefined();
  });

  it('estimates the output when a report has only the prompt', () => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent(written('eight ch'));
    expect(meter.meterUpstreamEvent(done({ input_tokens: 7 }))).toMatchObject({
      source: 'estimated',
      usage: { input: 7, output: 2 },
    });
  });

  it('estimates the prompt from the previous report', () => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent(done(reported));
    meter.meterUpstreamEvent(written('four', 'r2'));
    expect(meter.meterUpstreamEvent(done(null, 'r2'))?.usage).toMatchObject({ input: 55 + 64 + 36, audioInput: 120 });
  });
});

describe('unbilled input', () => {
  it('adds up unbilled input since the last response and resets it with the next one', () => {
    const meter = new SessionMeter('gpt-realtime');
    const item = { type: 'message', content: [{ type: 'input_text', text: 'twelve chars' }] };
    expect(meter.unbilledInput()).toEqual(emptyUsage());
    meter.recordClientEvent(append(second(48_000)));
    meter.recordClientEvent({ type: 'conversation.item.create', item });
    expect(meter.unbilledInput()).toMatchObject({ input: 3, audioInput: 10 });
    meter.meterUpstreamEvent(done(reported));
    expect(meter.unbilledInput()).toEqual(emptyUsage());
  });
});

describe('a running response', () => {
  it('counts a response as pending from its first output until it is done', () => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent({ type: 'response.created', response: { id: 'r1' } });
    expect([meter.running, meter.pendingUsage()]).toEqual([1, undefined]);
    meter.meterUpstreamEvent(spoken(second(48_000)));
    meter.meterUpstreamEvent(spoken(second(48_000), 'r2'));
    expect(meter.pendingUsage()).toMatchObject({ audioOutput: 40 });
    meter.meterUpstreamEvent(done(reported));
    expect(meter.pendingUsage()).toMatchObject({ audioOutput: 20 });
    meter.meterUpstreamEvent(done(reported, 'r2'));
    expect([meter.running, meter.pendingUsage()]).toEqual([0, undefined]);
  });

  it('limits the number of running responses', () => {
    const meter = new SessionMeter('m');
    for (let at = 0; at < 10_000; at += 1) meter.meterUpstreamEvent(written('a', `r${at}`));
    expect(meter.running).toBeLessThan(50);
    expect(meter.pendingUsage()?.output).toBe(10_000);
  });
});

describe('a transcription', () => {
  const transcribed = (usage?: unknown) => ({
    type: 'conversation.item.input_audio_transcription.completed',
    transcript: 'eight ch',
    usage,
  });
  const meterOf = (): SessionMeter => {
    const meter = new SessionMeter('m');
    const session = { audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } };
    meter.meterUpstreamEvent({ type: 'session.created', session });
    return meter;
  };

  it('bills a transcription for the session’s model', () => {
    const usage = {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 9,
      input_token_details: { text_tokens: 0, audio_tokens: 14 },
    };
    expect(meterOf().meterUpstreamEvent(transcribed(usage))).toMatchObject({
      model: 'gpt-4o-transcribe',
      source: 'reported',
      usage: { audioInput: 14, output: 9 },
    });
    expect(meterOf().meterUpstreamEvent(transcribed({ type: 'duration', seconds: 2.5 }))?.usage).toMatchObject({
      second: 3,
    });
  });

  it('bills a transcription for the beta session’s model, by the length of its formats', () => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent({
      type: 'session.updated',
      session: { input_audio_format: 'g711_ulaw', input_audio_transcription: { model: 'whisper-1' } },
    });
    meter.recordClientEvent(append(second(8_000)));
    expect(meter.meterUpstreamEvent(transcribed())).toMatchObject({ model: 'whisper-1', usage: { audioInput: 10 } });
  });

  it('bills a repeated transcription once', () => {
    const meter = meterOf();
    const item = { ...transcribed({ type: 'duration', seconds: 2 }), item_id: 'i', content_index: 0 };
    expect(meter.meterUpstreamEvent(item)).toBeDefined();
    expect(meter.meterUpstreamEvent(item)).toBeUndefined();
    expect(meter.meterUpstreamEvent({ ...item, content_index: 1 })).toBeDefined();
  });

  it('estimates an unreported transcription from the audio since the preceding one', () => {
    const meter = meterOf();
    meter.recordClientEvent(append(second(96_000)));
    expect(meter.meterUpstreamEvent(transcribed())?.usage).toMatchObject({ second: 2, audioInput: 20, output: 2 });
    expect(meter.meterUpstreamEvent(transcribed())?.usage).toMatchObject({ second: 0, audioInput: 0, output: 2 });
  });
});

const names =
  'type response response_id id usage input_tokens output_tokens input_token_details output_token_details cached_tokens ' +
  'cached_tokens_details text_tokens audio_tokens image_tokens delta audio item content text transcript session input ' +
  'output format rate transcription model instructions seconds';
const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'aGk=', -1, 0.5, 1e308, 12, Number.MAX_SAFE_INTEGER),
  fc.constantFrom(
    'response.done',
    'response.created',
    'response.output_audio.delta',
    'response.output_text.delta',
    'session.updated',
    'conversation.item.create',
    'input_audio_buffer.append',
    'response.create',
    'conversation.item.input_audio_transcription.completed',
    'audio/pcm',
  ),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(fc.constantFrom(...names.split(' ')), tie('value'), { maxKeys: 6 }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

describe('events of any shape', () => {
  it('reads events of any shape without throwing and bills whole numbers or nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), value), { maxLength: 8 }), (events) => {
        const meter = new SessionMeter('m');
        for (const [isClients, event] of events) {
          if (isClients) meter.recordClientEvent(event);
          const usages = [meter.meterUpstreamEvent(event)?.usage, meter.pendingUsage()];
          for (const usage of usages)
            for (const counter of usageCounters)
              expect(Number.isSafeInteger(usage?.[counter] ?? 0) && (usage?.[counter] ?? 0) >= 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
