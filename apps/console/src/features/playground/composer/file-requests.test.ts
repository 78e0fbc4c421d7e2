import { playgroundPaths } from '@switchyard/contract/playground/playground';
import { HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { script } from '../../../testing/server.ts';
import { requestImages, requestSpeech, requestTranscript, transcriptForm } from './file-requests.ts';

const png = 'iVBORw0KGgoAAAANSUhEUg==';
const svg = 'PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+';
const call = () => ({ signal: new AbortController().signal, onRequestId: vi.fn() });
const pictures = () => requestImages({ request: { model: 'm', prompt: 'a cat' }, ...call() });
const speech = () => requestSpeech({ request: { model: 'm', input: 'hi', voice: 'alloy' }, ...call() });
const answer = (data: object[]) =>
  script('post', playgroundPaths.pictures, () => HttpResponse.json({ data }));

it('takes pictures of known kinds, and addresses that people may open', async () => {
  answer([{ b64_json: png }, { url: 'https://vendor.example/a.png' }]);
  expect(await pictures()).toEqual([`data:image/png;base64,${png}`, 'https://vendor.example/a.png']);
});

it.each([
  ['an SVG', { b64_json: svg }],
  ['an SVG as an address', { url: `data:image/svg+xml;base64,${svg}` }],
  ['a script as an address', { url: 'javascript:alert(1)' }],
  ['an address that is none', { url: 'https://' }],
  ['a picture that is none', { b64_json: `${png}"><script>` }],
  ['nothing', {}],
])('does not take %s for a picture', async (_what, item) => {
  answer([item]);
  await expect(pictures()).rejects.toMatchObject({ code: 'not_understood' });
});

it('says why the gateway refused, and what is no answer at all', async () => {
  const error = { message: 'Too little', code: 'insufficient_quota' };
  script('post', playgroundPaths.pictures, () => HttpResponse.json({ error }, { status: 402 }));
  await expect(pictures()).rejects.toMatchObject({ code: 'insufficient_quota' });
  script('post', playgroundPaths.speech, () => HttpResponse.json({ error }, { status: 402 }));
  await expect(speech()).rejects.toMatchObject({ code: 'insufficient_quota' });
  script('post', playgroundPaths.speech, () => HttpResponse.text('<html>', { status: 502 }));
  await expect(speech()).rejects.toMatchObject({ code: 'unreachable' });
});

it('takes speech by its type, and only sound', async () => {
  const sound = new Uint8Array([1, 2, 3]);
  const sent = (type: string) =>
    script(
      'post',
      playgroundPaths.speech,
      () => new HttpResponse(sound, { headers: { 'content-type': type } }),
    );
  sent('audio/mpeg');
  expect(await speech()).toBe('data:audio/mpeg;base64,AQID');
  sent('text/html');
  await expect(speech()).rejects.toMatchObject({ code: 'not_understood' });
});

const recording = { name: 'call.ogg', data: 'data:audio/ogg;base64,AQID' };

it('puts a recording into a form with what goes with it', () => {
  const form = transcriptForm({ model: 'm', language: 'en' }, recording);
  expect([form?.get('model'), form?.get('language'), form?.get('prompt')]).toEqual(['m', 'en', null]);
  const file = form?.get('file');
  if (!(file instanceof File)) throw new Error('There is no file in it');
  expect([file.name, file.type, file.size]).toEqual(['call.ogg', 'audio/ogg', 3]);
});

it('says that a recording is gone instead of sending none', async () => {
  const asked = script('post', playgroundPaths.transcript, () => HttpResponse.json({ text: '' }));
  const gone = requestTranscript({ recording: { name: 'call.ogg' }, request: { model: 'm' }, ...call() });
  await expect(gone).rejects.toMatchObject({ code: 'recording_gone' });
  expect(asked).toEqual([]);
});
