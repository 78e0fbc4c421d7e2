/** OpenAI's own client for operations other than chat, through the gateway. */
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { SAMPLE_IMAGE } from '../scripted-upstream/other-answers.ts';
import { generateTokens } from '../scripted-upstream/scripted-response.ts';

const OPENAI = 1;
const models = ['gpt-image-1', 'dall-e-2', 'tts-1', 'whisper-1', 'gpt-4o-transcribe', 'omni-moderation-latest'];
const spoken = generateTokens(10).join('');

let scene: RelayScene;
let openai: OpenAI;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 1_000_000_000 });
  await scene.newChannel({ type: OPENAI, base_url: scene.upstream.url, models, key: 'sk-mock' });
  openai = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});
afterAll(() => scene.close());

const picture = () => toFile(Buffer.from(SAMPLE_IMAGE, 'base64'), 'cat.png', { type: 'image/png' });
const recording = () => toFile(Buffer.alloc(20_000), 'speech.mp3', { type: 'audio/mpeg' });

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

it('generates images, streamed and not', async () => {
  const whole = await openai.images.generate({ model: 'gpt-image-1', prompt: 'a cat', n: 2 });
  expect(whole.data).toEqual([{ b64_json: SAMPLE_IMAGE }, { b64_json: SAMPLE_IMAGE }]);
  expect(whole.usage?.output_tokens).toBe(10);
  const stream = await openai.images.generate({
    model: 'gpt-image-1',
    prompt: 'a cat',
    stream: true,
    partial_images: 2,
  });
  expect((await all(stream)).map(({ type }) => type)).toEqual([
    'image_generation.partial_image',
    'image_generation.partial_image',
    'image_generation.completed',
  ]);
});

it('edits images, one and several, and varies one', async () => {
  const one = await openai.images.edit({ model: 'gpt-image-1', prompt: 'a hat', image: await picture() });
  expect(one.data?.[0]?.b64_json).toBe(SAMPLE_IMAGE);
  const image = [await picture(), await picture()];
  const several = await openai.images.edit({ model: 'gpt-image-1', prompt: 'both', image, n: 2 });
  expect(several.data).toHaveLength(2);
  const varied = await openai.images.createVariation({ model: 'dall-e-2', image: await picture() });
  expect(varied.data).toHaveLength(1);
});

it('generates speech, and reads the audio as it arrives', async () => {
  const response = await openai.audio.speech.create({ model: 'tts-1', input: 'Hello!', voice: 'alloy' });
  expect(response.headers.get('content-type')).toBe('audio/mpeg');
  expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(spoken);
});

it('transcribes as JSON, as text, in detail and streamed, and translates', async () => {
  const { transcriptions, translations } = openai.audio;
  const json = await transcriptions.create({ model: 'whisper-1', file: await recording() });
  expect(json.text).toBe(spoken);
  const srt = await transcriptions.create({ model: 'whisper-1', file: await recording(), response_format: 'srt' });
  expect(srt).toBe(`${spoken}\n`);
  const verbose = await transcriptions.create({
    model: 'whisper-1',
    file: await recording(),
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });
  expect(verbose.duration).toBe(7.2);
  const stream = await transcriptions.create({
    model: 'gpt-4o-transcribe',
    file: await recording(),
    prompt: 'two words',
    stream: true,
  });
  expect((await all(stream)).at(-1)).toMatchObject({ type: 'transcript.text.done', text: spoken });
  const translated = await translations.create({ model: 'whisper-1', file: await recording() });
  expect(translated.text).toBe(spoken);
});

it('moderates without naming a model', async () => {
  const { results } = await openai.moderations.create({ input: ['a', 'b'] });
  expect(results.map(({ flagged }) => flagged)).toEqual([false, false]);
});

it('lists the models, and throws its own errors for refusals', async () => {
  const listed = await openai.models.list();
  expect(listed.data.map(({ id }) => id)).toEqual(models.toSorted());
  const nameless = openai.images.generate({ prompt: 'a cat' });
  await expect(nameless).rejects.toBeInstanceOf(OpenAI.BadRequestError);
  const unknown = openai.audio.speech.create({ model: 'tts-9', input: 'x', voice: 'alloy' });
  await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});

it('is charged for every response, except for moderation, which is free', async () => {
  await scene.waitUntilSettled();
  const charged = (await scene.records()).filter(({ type }) => type === 'consume');
  expect(charged).toHaveLength(12);
  const free = charged.filter(({ quota }) => quota === 0);
  expect(free.map(({ model }) => model)).toEqual(['omni-moderation-latest']);
});
