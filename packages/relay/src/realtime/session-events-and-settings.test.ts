import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { planClientEvent, readEvent } from './session-events-and-settings.ts';

const planned = (event: unknown) => planClientEvent(event, 'asked', 'deployed');

it('leaves the content of events without settings unchanged', () => {
  for (const event of [
    { type: 'input_audio_buffer.append', audio: '' },
    { type: 'constructor', session: { model: 'other' } },
    { session: { model: 'other' } },
  ])
    expect(planned(event)).toEqual({ text: JSON.stringify(event), transcribers: [] });
});

it.each(['{"type":"session.update","n":NaN}', '{"type":"x",}', 'word', '[]', 'null', '5', '"x"', ''])(
  'refuses the message %s, of which another parser might make an event',
  (text) => {
    expect(() => planned(readEvent(Buffer.from(text)))).toThrow(InvalidRequestError);
  },
);

/** JSON texts of objects, which may have repeated members at any depth. */
const texts = fc.letrec<{ object: string; value: string }>((tie) => ({
  object: fc
    .array(fc.tuple(fc.constantFrom('type', 'audio', 'session', 'item', 'model', '__proto__'), tie('value')), {
      minLength: 1,
      maxLength: 6,
    })
    .map((list) => `{${list.map(([name, value]) => `"${name}":${value}`).join(',')}}`),
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('"session.update"', '"input_audio_buffer.append"', '"response.create"', '"asked"', '"AAAA"', '1'),
    tie('object'),
    tie('object').map((object) => `[${object}]`),
  ),
}));

it('plans each field once, with the value that was read', () => {
  fc.assert(
    fc.property(texts.object, (text) => {
      const event = readEvent(Buffer.from(text));
      let sent: string;
      try {
        sent = planned(event).text;
      } catch (error) {
        // A value that the property returns would be its verdict.
        expect(error).toBeInstanceOf(InvalidRequestError);
        return;
      }
      expect(sent).toBe(JSON.stringify(JSON.parse(sent)));
      expect(sent.replaceAll('"deployed"', '"asked"')).toBe(JSON.stringify(event));
    }),
  );
});

it('replaces the session’s model by the upstream’s name', () => {
  const session = { model: 'asked', future_field: [1] };
  expect(JSON.parse(planned({ type: 'session.update', event_id: 'e', session })?.text ?? '')).toEqual({
    type: 'session.update',
    event_id: 'e',
    session: { model: 'deployed', future_field: [1] },
  });
  expect(planned({ type: 'response.create' })?.text).toBe('{"type":"response.create"}');
});

it('refuses any other model, and names the field', () => {
  for (const model of ['other', '', null, 5, ['asked'], { id: 'asked' }])
    for (const event of [
      { type: 'session.update', session: { model } },
      { type: 'response.create', response: { model } },
    ])
      expect(() => planned(event)).toThrow(InvalidRequestError);
});

it('returns the transcription models, in the API and its beta', () => {
  const transcription = { model: 'one' };
  expect(
    planned({
      type: 'session.update',
      session: { audio: { input: { transcription } }, input_audio_transcription: { model: 'two' } },
    })?.transcribers,
  ).toEqual(['one', 'two']);
  expect(planned({ type: 'session.update', session: { audio: { input: 5 } } })?.transcribers).toEqual([]);
});
