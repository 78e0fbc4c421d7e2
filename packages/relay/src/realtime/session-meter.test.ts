import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../json/json.ts';
import { emptyUsage, tokenCounters, usageCounters } from '../model/usage.ts';
import { SessionMeter } from './session-meter.ts';

const second = (bytesPerSecond: number): string => Buffer.alloc(bytesPerSecond).toString('base64');
const append = (audio: string) => ({ type: 'input_audio_buffer.append', audio });
const spoken = (delta: string, id = 'r1') => ({ type: 'response.output_audio.delta', response_id: id, delta });
const written = (delta: string, id = 'r1') => ({ type: 'response.output_text.delta', response_id: id, delta });
const created = (id: string | undefined) => ({ type: 'response.created', response: { id } });
const done = (usage?: unknown, id = 'r1') => ({ type: 'response.done', response: { id, usage } });

/** Ends a response that has begun. */
function respond(meter: SessionMeter, usage?: unknown, id = 'r1') {
  meter.meterUpstreamEvent(created(id));
  return meter.meterUpstreamEvent(done(usage, id));
}

function request(meter: SessionMeter, response?: object): void {
  meter.recordClientEvent({ type: 'response.create', ...(response !== undefined && { response }) });
  meter.recordForwarded();
}

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
    const metered = respond(new SessionMeter('gpt-realtime'), reported);
    expect(metered).toEqual({
      source: 'reported',
      model: undefined,
      usage: { ...emptyUsage(), input: 55, cachedRead: 64, audioInput: 8, output: 36, audioOutput: 112 },
    });
  });

  it('bills each response separately', () => {
    const meter = new SessionMeter('gpt-realtime');
    expect(respond(meter, reported)?.usage).toEqual(respond(meter, reported, 'r2')?.usage);
  });

  it('bills a repeated response once', () => {
    const meter = new SessionMeter('gpt-realtime');
    expect(respond(meter, reported)).toBeDefined();
    expect(respond(meter, reported)).toBeUndefined();
    for (let at = 0; at < 10_000; at += 1) expect(respond(meter, reported, `other-${at}`)).toBeDefined();
  });

  it('does not believe the report of a response that nothing has caused', () => {
    const meter = new SessionMeter('gpt-realtime');
    expect(meter.meterUpstreamEvent(done(reported, 'never begun'))).toBeUndefined();
    const update = { type: 'session.updated', session: { audio: { input: { turn_detection: null } } } };
    meter.meterUpstreamEvent(update);
    expect(respond(meter, reported, 'not requested')).toBeUndefined();
    for (const id of ['first', 'second']) meter.meterUpstreamEvent(created(id));
    for (const id of ['first', 'second']) expect(meter.meterUpstreamEvent(done(reported, id))).toBeUndefined();
    meter.meterUpstreamEvent(written('Hello', 'not begun'));
    expect(meter.meterUpstreamEvent(done(reported, 'not begun'))).toMatchObject({ source: 'estimated' });
    meter.meterUpstreamEvent(created('spoken'));
    meter.meterUpstreamEvent(written('Hello', 'spoken'));
    expect(meter.meterUpstreamEvent(done(reported, 'spoken'))).toMatchObject({ source: 'estimated' });
    request(meter);
    expect(respond(meter, reported, 'requested')).toMatchObject({ source: 'reported' });
  });

  it('counts images, audio and their cached parts separately', () => {
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
    expect(respond(new SessionMeter('m'), usage)?.usage).toMatchObject({
      input: 10,
      audioInput: 10,
      imageInput: 20,
      cachedRead: 10,
      cachedAudioInput: 20,
      cachedImageInput: 30,
      output: 10,
      audioOutput: 0,
    });
  });

  it('sums up the details when the totals are missing', () => {
    const usage = { input_token_details: { text_tokens: 3, audio_tokens: 4 }, output_token_details: {} };
    expect(respond(new SessionMeter('m'), usage)?.usage).toMatchObject({ input: 3, audioInput: 4 });
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
    'input_token_details.cached_tokens_details.image_tokens',
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
    respond(meter, reported);
    meter.meterUpstreamEvent(written('four', 'r2'));
    expect(meter.meterUpstreamEvent(done(null, 'r2'))?.usage).toMatchObject({ input: 55 + 64 + 36, audioInput: 120 });
  });
});

it('estimates the next prompt from cached audio and images, too', () => {
  const meter = new SessionMeter('m');
  const cached_tokens_details = { text_tokens: 4, audio_tokens: 30, image_tokens: 40 };
  const kinds = { text_tokens: 10, audio_tokens: 50, image_tokens: 60 };
  const input_token_details = { ...kinds, cached_tokens: 74, cached_tokens_details };
  const usage = { input_tokens: 120, output_tokens: 7, input_token_details, output_token_details: { audio_tokens: 7 } };
  meter.recordClientEvent(append(second(48_000 * 10)));
  expect(respond(meter, usage)?.source).toBe('reported');
  meter.meterUpstreamEvent(written('four', 'r2'));
  expect(meter.meterUpstreamEvent(done(null, 'r2'))?.usage).toMatchObject({
    input: 10,
    audioInput: 57,
    imageInput: 60,
  });
});

describe('unbilled input', () => {
  it('adds up unbilled input since the last response and resets it with the next one', () => {
    const meter = new SessionMeter('gpt-realtime');
    const item = { type: 'message', content: [{ type: 'input_text', text: 'twelve chars' }] };
    const nothing = [{ model: undefined, usage: emptyUsage() }];
    expect(meter.unbilledInput()).toEqual(nothing);
    meter.recordClientEvent(append(second(48_000)));
    meter.recordClientEvent({ type: 'conversation.item.create', item });
    expect(meter.unbilledInput()).toMatchObject([{ model: undefined, usage: { input: 3, audioInput: 10 } }]);
    meter.meterUpstreamEvent(done(reported));
    expect(meter.unbilledInput()).toEqual(nothing);
  });

  it('counts images until they are billed, and keeps the billed ones in the conversation', () => {
    const meter = new SessionMeter('gpt-realtime');
    const image = { type: 'input_image', image_url: 'https://images.test/1.png' };
    const item = { type: 'message', content: [image, image] };
    meter.recordClientEvent({ type: 'conversation.item.create', item });
    request(meter, { input: [item] });
    expect(meter.unbilledInput()).toMatchObject([{ usage: { input: 0, imageInput: 4_000 } }]);
    const details = { text_tokens: 10, audio_tokens: 0, image_tokens: 3_500 };
    const usage = { input_tokens: 3_510, output_tokens: 1, input_token_details: details };
    expect(meter.meterUpstreamEvent(done(usage))).toMatchObject({ source: 'reported', usage: { imageInput: 3_500 } });
    // That response has read its own input only.
    expect(meter.unbilledInput()).toMatchObject([{ usage: { imageInput: 2_000 } }]);
    request(meter);
    expect(meter.meterUpstreamEvent(done(usage, 'r2'))).toMatchObject({ source: 'reported' });
    expect(meter.unbilledInput()).toMatchObject([{ usage: { imageInput: 0 } }]);
    meter.meterUpstreamEvent(written('four', 'r3'));
    expect(meter.pendingUsage()).toMatchObject([{ usage: { imageInput: 3_500 } }]);
    expect(meter.meterUpstreamEvent(done(null, 'r3'))?.usage).toMatchObject({ imageInput: 3_500 });
  });

  /** Beginning of a PNG image of 1,024 × 1,024. */
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000004000000040008060000007f1d2b83', 'hex').toString(
    'base64',
  );
  const data = `data:image/png;base64,${png}`;
  it.each<[what: string, part: object, tokens: number]>([
    ['a data URL', { image_url: data, detail: 'high' }, 765],
    ['a data URL with few details', { image_url: data, detail: 'low' }, 85],
    ['a URL', { image_url: 'https://images.test/1.png' }, 1_000],
    ['an object with a URL', { image_url: { url: data } }, 765],
    ['a file', { file_id: 'file-1' }, 1_000],
    ['nothing', {}, 0],
  ])('counts an image that is %s by the rule of its model', (_what, part, imageInput) => {
    const meter = new SessionMeter('gpt-4o-realtime-preview');
    const item = { type: 'message', role: 'user', content: [{ type: 'input_image', ...part }] };
    meter.recordClientEvent({ type: 'conversation.item.create', item });
    expect(meter.unbilledInput()).toMatchObject([{ usage: { input: 0, imageInput } }]);
    meter.meterUpstreamEvent(written('word'));
    expect(meter.pendingUsage()).toMatchObject([{ usage: { input: 0, imageInput, output: 1 } }]);
    meter.meterUpstreamEvent(written('word', 'r2'));
    expect(meter.pendingUsage()).toMatchObject([{ usage: { imageInput: 2 * imageInput, output: 2 } }]);
  });

  const settings = (session: object, type = 'session.updated') => ({ type, session });
  const vad = (more: object = {}) => ({ turn_detection: { type: 'server_vad', ...more } });
  it.each<[what: string, event: object, isAtOnce: boolean, isOnRequest: boolean]>([
    ['turn detection', settings({ audio: { input: vad() } }), true, true],
    ['turn detection of the beta', settings(vad()), true, true],
    ['no word of turn detection', settings({}), true, true],
    ['turn detection without responses', settings({ audio: { input: vad({ create_response: false }) } }), false, true],
    ['no turn detection', settings({ audio: { input: { turn_detection: null } } }), false, true],
    ['no turn detection in the beta', settings({ turn_detection: null }), false, true],
    ['transcriptions only', settings({ type: 'transcription', audio: { input: vad() } }), false, false],
    ['transcriptions only in the beta', settings(vad(), 'transcription_session.updated'), false, false],
  ])('counts the input of a response in a session with %s', (_what, event, isAtOnce, isOnRequest) => {
    const meter = new SessionMeter('gpt-realtime');
    const audioInput = () => meter.unbilledInput()[0]?.usage.audioInput;
    meter.meterUpstreamEvent(event);
    meter.recordClientEvent(append(second(48_000)));
    expect(audioInput()).toBe(isAtOnce ? 10 : 0);
    request(meter);
    expect(audioInput()).toBe(isOnRequest ? 10 : 0);
    meter.meterUpstreamEvent(done(reported));
    meter.recordClientEvent(append(second(48_000)));
    expect(audioInput()).toBe(isAtOnce ? 10 : 0);
  });
});

describe('parallel responses', () => {
  const update = (session: object) => ({ type: 'session.update', session });
  const updated = (session: object) => ({ type: 'session.updated', session });
  const manual = { audio: { input: { turn_detection: null } } };
  const say = (tokens: number) => ({
    type: 'conversation.item.create',
    item: { type: 'message', content: [{ type: 'input_text', text: 'word'.repeat(tokens) }] },
  });
  const instructions = 'word'.repeat(1_000);
  const open = (): SessionMeter => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent(updated(manual));
    return meter;
  };
  const promptOf = (meter: SessionMeter) => meter.parallelResponses()?.usage.input;

  it('returns none while a single response is requested or runs', () => {
    const meter = open();
    meter.recordClientEvent(say(100));
    for (const id of ['r1', 'r2', 'r3']) {
      expect(meter.parallelResponses()).toBeUndefined();
      request(meter);
      expect(meter.parallelResponses()).toBeUndefined();
      meter.meterUpstreamEvent(created(id));
      meter.meterUpstreamEvent(written('word', id));
      expect(meter.parallelResponses()).toBeUndefined();
      meter.meterUpstreamEvent(done(reported, id));
    }
  });

  it('counts the conversation, the longest instructions and tools, and the largest own input for each', () => {
    const meter = open();
    meter.recordClientEvent(say(100));
    // The upstream has not confirmed them yet.
    meter.recordClientEvent(update({ instructions, tools: [{ name: 'word'.repeat(997) }] }));
    meter.recordClientEvent(update({ instructions: '' }));
    for (let nth = 0; nth < 3; nth += 1)
      request(meter, { instructions: 'word'.repeat(10), output_modalities: ['text'] });
    meter.recordClientEvent({ type: 'response.create', response: { ...say(50).item, input: [say(50).item] } });
    const usage = { ...emptyUsage(), input: 100 + 1_000 + 1_000 + 50 };
    expect(meter.parallelResponses()).toMatchObject({ count: 4, usage: { input: expect.closeTo(usage.input, -1) } });
    expect(meter.unbilledInput()[0]?.usage.input).toBe(promptOf(meter));
  });

  it.each<[what: string, responses: object[], output: number, audioOutput: number]>([
    ['nothing else', [{}, {}], 0, 4_096],
    ['a limit of one', [{ max_output_tokens: 100 }, {}], 0, 4_096],
    ['a limit of each', [{ max_output_tokens: 100 }, { max_output_tokens: 200 }], 0, 200],
    ['a limit above the vendor’s', [{ max_output_tokens: 1e9 }, { max_output_tokens: 'inf' }], 0, 4_096],
    ['text and audio', [{ output_modalities: ['text'], max_output_tokens: 5 }, {}], 5, 4_096],
    ['text alone', [{ output_modalities: ['text'] }, { modalities: ['text'] }], 4_096, 0],
  ])('assumes the longest possible output for each with %s', (_what, responses, output, audioOutput) => {
    const meter = open();
    for (const response of responses) request(meter, response);
    expect(meter.parallelResponses()?.usage).toMatchObject({ output, audioOutput });
  });

  it('adds one response that turn detection may begin', () => {
    const meter = new SessionMeter('m');
    request(meter, { max_output_tokens: 1 });
    expect(meter.parallelResponses()).toBeUndefined();
    meter.meterUpstreamEvent(created('requested'));
    request(meter, { max_output_tokens: 1 });
    expect(meter.parallelResponses()).toMatchObject({ count: 3, usage: { audioOutput: 4_096 } });
    meter.meterUpstreamEvent(created('requested, too'));
    meter.meterUpstreamEvent(created('by itself'));
    expect(meter.parallelResponses()?.count).toBe(3);
    meter.meterUpstreamEvent(done(reported, 'requested'));
    expect(meter.parallelResponses()?.count).toBe(2);
    meter.meterUpstreamEvent(done(reported, 'by itself'));
    expect(meter.parallelResponses()).toBeUndefined();
  });

  it('leaves out a request that the upstream has refused', () => {
    const meter = open();
    const refused = { type: 'error', error: { code: 'conversation_already_has_active_response' } };
    for (let nth = 0; nth < 3; nth += 1) request(meter);
    meter.meterUpstreamEvent(created('r1'));
    // A client can provoke another error without a request.
    meter.meterUpstreamEvent({ type: 'error', error: { code: 'invalid_value', param: 'response.x' } });
    expect(meter.parallelResponses()?.count).toBe(3);
    for (let nth = 0; nth < 5; nth += 1) meter.meterUpstreamEvent(refused);
    expect([meter.open, meter.parallelResponses()]).toEqual([1, undefined]);
  });

  it('keeps input that came while an earlier response ran', () => {
    const meter = open();
    request(meter);
    meter.recordClientEvent(say(5_000));
    meter.meterUpstreamEvent(created('r1'));
    meter.recordClientEvent(say(5_000));
    meter.meterUpstreamEvent(done(reported));
    for (let nth = 0; nth < 2; nth += 1) request(meter);
    expect(promptOf(meter)).toBe(119 + 36 + 10_000);
    expect(meter.unbilledInput()[0]?.usage.input).toBe(10_000);
    for (const id of ['r2', 'r3']) meter.meterUpstreamEvent(done(reported, id));
    request(meter);
    expect(meter.unbilledInput()[0]?.usage.input).toBe(0);
  });

  it('keeps the conversation that a response with other input has not read', () => {
    const meter = open();
    meter.recordClientEvent(say(5_000));
    request(meter, { input: [] });
    meter.meterUpstreamEvent(created('r1'));
    meter.meterUpstreamEvent(done(reported));
    for (let nth = 0; nth < 2; nth += 1) request(meter);
    expect(promptOf(meter)).toBe(5_000);
    expect(meter.unbilledInput()[0]?.usage.input).toBe(5_000);
  });
});

describe('a running response', () => {
  it('counts a response as pending from its first output until it is done', () => {
    const meter = new SessionMeter('m');
    meter.meterUpstreamEvent(created('r1'));
    expect([meter.running, meter.pendingUsage()]).toEqual([['r1'], []]);
    meter.meterUpstreamEvent(spoken(second(48_000)));
    meter.meterUpstreamEvent(spoken(second(48_000), 'r2'));
    expect(meter.pendingUsage()).toMatchObject([{ model: undefined, usage: { audioOutput: 40 } }]);
    meter.meterUpstreamEvent(done(reported));
    expect(meter.pendingUsage()).toMatchObject([{ model: undefined, usage: { audioOutput: 20 } }]);
    meter.meterUpstreamEvent(done(reported, 'r2'));
    expect([meter.running, meter.pendingUsage()]).toEqual([[], []]);
  });

  it('counts a response as open from its forwarded request until its end', () => {
    const meter = new SessionMeter('m');
    meter.recordClientEvent({ type: 'response.create' });
    expect(meter.open).toBe(0);
    meter.recordForwarded();
    expect([meter.open, meter.running]).toEqual([1, []]);
    meter.meterUpstreamEvent(created('r1'));
    expect([meter.open, meter.running]).toEqual([1, ['r1']]);
    meter.meterUpstreamEvent(done(reported, 'r1'));
    expect([meter.open, meter.running]).toEqual([0, []]);
  });

  it('counts open responses without output', () => {
    const meter = new SessionMeter('m');
    for (const id of ['r1', 'r2', undefined]) meter.meterUpstreamEvent(created(id));
    request(meter);
    expect([meter.running, meter.undelivered]).toEqual([['r1', 'r2', ''], 4]);
    meter.meterUpstreamEvent(written('a', 'r2'));
    meter.meterUpstreamEvent({ ...written('a'), response_id: undefined });
    expect(meter.undelivered).toBe(2);
    meter.meterUpstreamEvent(done(reported, 'r1'));
    expect([meter.running, meter.undelivered]).toEqual([['r2', ''], 1]);
  });

  it('counts each of 200 open responses', () => {
    const meter = new SessionMeter('m');
    for (let at = 0; at < 200; at += 1) {
      request(meter);
      if (at < 100) meter.meterUpstreamEvent(created(`r${at}`));
    }
    expect([meter.open, meter.undelivered]).toEqual([200, 200]);
  });

  it('limits the number of running responses', () => {
    const meter = new SessionMeter('m');
    for (let at = 0; at < 10_000; at += 1) meter.meterUpstreamEvent(written('a', `r${at}`));
    expect(meter.running.length).toBeLessThan(50);
    expect(meter.pendingUsage()[0]?.usage.output).toBe(10_000);
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

describe('a transcription in progress', () => {
  const TRANSCRIBER = 'gpt-4o-transcribe';
  const kind = 'conversation.item.input_audio_transcription';
  const committed = (item_id: string) => ({ type: 'input_audio_buffer.committed', item_id });
  const delta = (item_id: string, text = 'eight ch') => ({
    type: `${kind}.delta`,
    item_id,
    content_index: 0,
    delta: text,
  });
  const segment = (item_id: string, text: string) => ({ type: `${kind}.segment`, item_id, content_index: 0, text });
  const failed = (item_id: string) => ({ type: `${kind}.failed`, item_id, content_index: 0, error: {} });
  const completed = (item_id: string, usage?: unknown) => ({
    type: `${kind}.completed`,
    item_id,
    content_index: 0,
    transcript: 'eight ch',
    usage,
  });
  const reportedTokens = {
    type: 'tokens',
    input_tokens: 20,
    output_tokens: 2,
    input_token_details: { audio_tokens: 20 },
  };
  const use = (model: string | null) => ({
    type: 'session.updated',
    session: { audio: { input: { transcription: model === null ? null : { model } } } },
  });
  const two = append(second(96_000));
  const meterOf = (model: string | null, ...events: readonly object[]): SessionMeter => {
    const meter = new SessionMeter('m');
    for (const event of [use(model), ...events]) {
      if (event === two) meter.recordClientEvent(event);
      else meter.meterUpstreamEvent(event);
    }
    return meter;
  };
  const shares = (list: ReturnType<SessionMeter['pendingUsage']>) =>
    list.map(({ model, usage: { second, audioInput, output } }) => ({ model, second, audioInput, output }));
  const share = (seconds: number, output: number, model: string | undefined = TRANSCRIBER) => ({
    model,
    second: seconds,
    audioInput: seconds * 10,
    output,
  });

  it.each<[what: string, events: object[], pending: object[]]>([
    ['audio alone', [two], []],
    ['a committed item without text', [two, committed('a')], []],
    ['text of a committed item', [two, committed('a'), delta('a')], [share(2, 2)]],
    ['text before the item is committed', [two, delta('a'), two], [share(4, 2)]],
    ['an item that is committed after its text', [two, delta('a'), committed('a'), two], [share(2, 2)]],
    ['several pieces', [two, committed('a'), delta('a'), delta('a'), delta('a')], [share(2, 6)]],
    ['segments, which repeat the pieces', [two, committed('a'), delta('a'), segment('a', 'eight ch')], [share(2, 2)]],
    ['segments alone', [two, committed('a'), segment('a', 'eight ch')], [share(2, 2)]],
    ['two items', [two, committed('a'), two, two, committed('b'), delta('a'), delta('b')], [share(6, 4)]],
    ['the item with text of two', [two, committed('a'), two, two, committed('b'), delta('b')], [share(4, 2)]],
    [
      'the item that another one’s end leaves',
      [two, committed('a'), two, two, committed('b'), delta('a'), delta('b'), completed('a', reportedTokens)],
      [share(4, 2)],
    ],
    ['an item whose audio is cleared', [two, delta('a'), { type: 'input_audio_buffer.cleared' }, two], [share(2, 2)]],
    ['nothing after the end', [two, committed('a'), delta('a'), completed('a')], []],
    ['nothing for text after the end', [two, committed('a'), completed('a'), delta('a')], []],
    ['nothing after a failure', [two, committed('a'), failed('a')], []],
    [
      'each item by the model when it began',
      [two, committed('a'), use('whisper-1'), two, committed('b'), delta('a'), delta('b')],
      [share(2, 2), share(2, 2, 'whisper-1')],
    ],
  ])('a transcription is pending with %s', (_what, events, pending) => {
    expect(shares(meterOf(TRANSCRIBER, ...events).pendingUsage())).toEqual(pending);
  });

  it('a transcription is pending for the session’s model if the session names no other', () => {
    const meter = meterOf(null, two, delta('a'));
    expect(shares(meter.pendingUsage())).toEqual([{ ...share(2, 2), model: undefined }]);
  });

  it('a transcription is pending beside running responses', () => {
    const meter = meterOf(TRANSCRIBER, two, committed('a'), delta('a'), written('eight ch'));
    expect(shares(meter.pendingUsage())).toEqual([
      { model: undefined, second: 0, audioInput: 20, output: 2 },
      share(2, 2),
    ]);
  });

  it.each<[what: string, events: object[], seconds: number]>([
    ['audio in the buffer', [two, two], 4],
    ['committed items', [two, committed('a'), two, committed('b'), two], 6],
    ['what is left after one ended', [two, committed('a'), two, committed('b'), completed('a', reportedTokens)], 2],
    ['what is left after one failed', [two, committed('a'), two, failed('a')], 2],
    ['nothing after all ended', [two, committed('a'), completed('a', reportedTokens)], 0],
  ])('a transcription is expected for %s', (_what, events, seconds) => {
    const [, ...expected] = meterOf(TRANSCRIBER, ...events).unbilledInput();
    const usage = { second: seconds, audioInput: 10 * seconds, output: 4 * seconds };
    expect(expected).toMatchObject(seconds === 0 ? [] : [{ model: TRANSCRIBER, usage }]);
    expect(expected).toHaveLength(seconds === 0 ? 0 : 1);
  });

  it('no transcription is expected in a session without a transcriber', () => {
    expect(meterOf(null, two, committed('a'), two).unbilledInput()).toHaveLength(1);
  });

  it('bills the text that a failed transcription has delivered', () => {
    const meter = meterOf(TRANSCRIBER, two, committed('a'), delta('a'));
    const metered = meter.meterUpstreamEvent(failed('a'));
    expect(metered).toMatchObject({ source: 'estimated', model: TRANSCRIBER, usage: { second: 2, output: 2 } });
    expect(meter.meterUpstreamEvent(failed('a'))).toBeUndefined();
    expect(meter.pendingUsage()).toEqual([]);
  });

  it('estimates each unreported transcription from the audio of its own item', () => {
    const meter = meterOf(TRANSCRIBER, two, committed('a'), two, two, committed('b'), two);
    expect(meter.meterUpstreamEvent(completed('b'))?.usage).toMatchObject({ second: 4, output: 2 });
    expect(meter.meterUpstreamEvent(completed('a'))?.usage).toMatchObject({ second: 2, output: 2 });
  });

  it('loses no text when there are too many items', () => {
    const meter = meterOf(TRANSCRIBER);
    for (let at = 0; at < 10_000; at += 1) meter.meterUpstreamEvent(delta(`item-${at}`));
    expect(meter.pendingUsage()[0]?.usage.output).toBe(20_000);
  });
});

const names =
  'type response response_id id usage input_tokens output_tokens input_token_details output_token_details cached_tokens ' +
  'cached_tokens_details text_tokens audio_tokens image_tokens delta audio item content text transcript session input ' +
  'output format rate transcription model instructions seconds item_id turn_detection create_response';
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
    'conversation.item.input_audio_transcription.delta',
    'conversation.item.input_audio_transcription.segment',
    'conversation.item.input_audio_transcription.failed',
    'input_audio_buffer.committed',
    'input_audio_buffer.cleared',
    'transcription_session.updated',
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
          const metered = meter.meterUpstreamEvent(event);
          const shares = [
            ...(metered === undefined ? [] : [metered]),
            ...meter.pendingUsage(),
            ...meter.unbilledInput(),
          ];
          for (const { usage } of shares)
            for (const counter of usageCounters)
              expect(Number.isSafeInteger(usage[counter]) && usage[counter] >= 0).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });
});
