import { expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { planClientEvent } from './plan-event.ts';

const planned = (event: unknown) => planClientEvent(event, 'asked', 'deployed');

it('leaves events without settings unchanged', () => {
  for (const event of [
    { type: 'input_audio_buffer.append', audio: '' },
    { type: 'constructor', session: { model: 'other' } },
    { session: { model: 'other' } },
    null,
    [],
    undefined,
  ])
    expect(planned(event)).toBeUndefined();
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
