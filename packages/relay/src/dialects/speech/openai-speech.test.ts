import { describe, expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

describe('a speech request', () => {
  it('estimates the characters, and the tokens by seconds of speech in the script', () => {
    const of = (input: string) => sampleRequest('openai-speech', { input }).facts.expected?.usage;
    expect(of('x'.repeat(30))).toMatchObject({ character: 30, audioOutput: 40 });
    expect(of('字'.repeat(9))).toMatchObject({ character: 9, audioOutput: 40 });
  });

  it.each([[{ input: 7 }], [{ input: undefined }], [{ response_format: [] }]])('is refused with %j', (fields) => {
    expect(() => sampleRequest('openai-speech', fields)).toThrow();
  });

  it('delivers speech as it arrives, as bytes or as events', () => {
    expect(sampleRequest('openai-speech')).toMatchObject({ framing: 'bytes', facts: { stream: true } });
    const events = sampleRequest('openai-speech', { stream_format: 'sse' });
    expect(events).toMatchObject({ framing: 'sse', facts: { stream: true } });
  });

  it.each([
    ['openai', { metadata: { text: 'longer' }, Metadata: {} }, { speed: 0.5, seed: 7, instructions: 'Slowly.' }],
    ['one-api', { metadata: { model: 'dear' }, extra_body: { input: 'longer' } }, { response_format: 'wav' }],
    ['custom', { pronunciation_dict: { tone: ['hi/longer'] }, text: 'longer' }, { stream_format: 'audio' }],
    ['minimax', { pronunciation_dict: { tone: ['hi/longer'] }, metadata: {} }, { language_boost: 'Thai' }],
  ])('reaches %s without %j, which could replace the text', (provider, others, fields) => {
    const planned = planExchange(sampleRequest('openai-speech', { ...fields, ...others }), sampleTarget(provider));
    const sent: unknown = JSON.parse(planned.body.toString());
    expect(sent).toMatchObject(fields);
    for (const name of Object.keys(others)) expect(sent).not.toHaveProperty(name);
    expect(planned.dropped).toEqual(Object.keys(others));
  });
});

it('reads the usage at the end of events', () => {
  const request = sampleRequest('openai-speech', { stream_format: 'sse' });
  const reader = planExchange(request, sampleTarget('openai')).readResponse();
  const delta = 'data: {"type":"speech.audio.delta","audio":"AAAA"}\n\n';
  const done =
    'data: {"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115}}\n\n';
  expect(reader.push(Buffer.from(delta)).toString()).toBe(delta);
  expect(reader.meter).toMatchObject({ finished: false, usage: undefined });
  expect(reader.push(Buffer.from(done)).toString()).toBe(done);
  reader.end();
  expect(reader.meter).toMatchObject({ finished: true, usage: { input: 14, audioOutput: 101, output: 0 } });
});
