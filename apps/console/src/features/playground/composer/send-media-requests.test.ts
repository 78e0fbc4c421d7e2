import { playgroundPaths } from '@switchyard/contract/playground/playground';
import { HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { script } from '../../../testing/mock-api-server.ts';
import { requestImages, requestSpeech, requestTranscript, transcriptForm } from './send-media-requests.ts';

const png = 'iVBORw0KGgoAAAANSUhEUg==';
const svg = 'PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+';
const call = () => ({ signal: new AbortController().signal, onRequestId: vi.fn() });
const pictures = () => requestImages({ request: { model: 'm', prompt: 'a cat' }, ...call() });
const speech = () => requestSpeech({ request: { model: 'm', input: 'hi', voice: 'alloy' }, ...call() });
const answer = (data: object[]) => script('post', playgroundPaths.pictures, () => HttpResponse.json({ data }));

it('returns images of known types and http or https URLs', async () => {
  answer([{ b64_json: png }, { url: 'https://vendor.example/a.png' }]);
  expect(await pictures()).toEqual([`data:image/png;base64,${png}`, 'https://vendor.example/a.png']);
});

it.each([
  ['an SVG', { b64_json: svg }],
  ['an SVG as a URL', { url: `data:image/svg+xml;base64,${svg}` }],
  ['a script as a URL', { url: 'javascript:alert(1)' }],
  ['an invalid URL', { url: 'https://' }],
  ['invalid image data', { b64_json: `${png}"><script>` }],
  ['an empty object', {}],
])('rejects %s as an image', async (_what, item) => {
  answer([item]);
  await expect(pictures()).rejects.toMatchObject({ code: 'not_understood' });
});

it('reports the gateway’s error, or that the response is invalid', async () => {
  const error = { message: 'Too little', code: 'insufficient_quota' };
  script('post', playgroundPaths.pictures, () => HttpResponse.json({ error }, { status: 402 }));
  await expect(pictures()).rejects.toMatchObject({ code: 'insufficient_quota' });
  script('post', playgroundPaths.speech, () => HttpResponse.json({ error }, { status: 402 }));
  await expect(speech()).rejects.toMatchObject({ code: 'insufficient_quota' });
  script('post', playgroundPaths.speech, () => HttpResponse.text('<html>', { status: 502 }));
  await expect(speech()).rejects.toMatchObject({ code: 'unreachable' });
});

it('returns speech with its media type and rejects other content', async () => {
  const sound = new Uint8Array([1, 2, 3]);
  const sent = (type: string) =>
    script('post', playgroundPaths.speech, () => new HttpResponse(sound, { headers: { 'content-type': type } }));
  sent('audio/mpeg');
  expect(await speech()).toBe('data:audio/mpeg;base64,AQID');
  sent('text/html');
  await expect(speech()).rejects.toMatchObject({ code: 'not_understood' });
});

const recording = { name: 'call.ogg', data: 'data:audio/ogg;base64,AQID' };

it('adds a recording with its parameters to a form', () => {
  const form = transcriptForm({ model: 'm', language: 'en' }, recording);
  expect([form?.get('model'), form?.get('language'), form?.get('prompt')]).toEqual(['m', 'en', null]);
  const file = form?.get('file');
  if (!(file instanceof File)) throw new Error('the form has no file');
  expect([file.name, file.type, file.size]).toEqual(['call.ogg', 'audio/ogg', 3]);
});

it('reports a missing recording instead of sending none', async () => {
  const asked = script('post', playgroundPaths.transcript, () => HttpResponse.json({ text: '' }));
  const gone = requestTranscript({ recording: { name: 'call.ogg' }, request: { model: 'm' }, ...call() });
  await expect(gone).rejects.toMatchObject({ code: 'recording_gone' });
  expect(asked).toEqual([]);
});
