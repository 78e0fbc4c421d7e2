import { garbled } from '../answer-errors.ts';
import { listOf, objectOf, textOf } from '../json.ts';
import type { TaskNews } from '../tasks.ts';
import { nearestRatio } from './openai-images/image-fields.ts';
import { orderedVideo, videosAt } from './ordered-video.ts';
import { knownAmong, said } from './said-fields.ts';

const ratios = '16:9 9:16'.split(' ');
const newer = { lengths: [4, 6, 8], variants: ['720p', '1080p', '4k'] };
/** Its resolution cannot be chosen. */
const second = { lengths: [5, 6, 7, 8], variants: ['720p'] };
const secondModels = /^veo-2/;
const known = ['aspectRatio', 'resolution', 'negativePrompt', 'personGeneration', 'seed'];
const operation = /^models\/[\w.-]{1,100}\/operations\/[\w-]{1,100}$/;
const HOST = 'https://generativelanguage.googleapis.com';

/** Google's Veo, by the Gemini API. https://ai.google.dev/gemini-api/docs/video */
export const veoVideos = orderedVideo({
  id: 'veo-videos',
  films: (model) => (secondModels.test(model) ? second : newer),
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    // Pictures are taken by their bytes only.
    const bytes = image !== undefined && 'base64' in image ? image.base64 : undefined;
    if (image !== undefined && bytes === undefined) dropped.push('input_reference');
    return {
      instances: [said({ prompt, image: bytes && { bytesBase64Encoded: bytes, mimeType: 'image/png' } })],
      parameters: said({
        durationSeconds: seconds,
        aspectRatio: nearestRatio({ size }, ratios),
        ...knownAmong(known, more, dropped),
        resolution: secondModels.test(model) ? undefined : variant,
      }),
    };
  },
  orders: {
    taken(answer) {
      const id = textOf(answer['name']) ?? '';
      if (!operation.test(id)) throw garbled('The upstream did not say which video it makes.');
      return { id, status: 'queued', works: [], said: answer };
    },
    question: ([id = '']) => ({ path: `/v1beta/${id}` }),
    read(answer): TaskNews[] {
      const task = objectOf(answer);
      const made = objectOf(objectOf(task['response'])['generateVideoResponse']);
      const works = videosAt(
        listOf(made['generatedSamples']).map((sample) =>
          addressOf(objectOf(objectOf(sample)['video'])['uri']),
        ),
      );
      const [reason] = listOf(made['raiMediaFilteredReasons']);
      const failure = textOf(objectOf(task['error'])['message']) ?? textOf(reason);
      const isDone = task['done'] === true;
      const status = !isDone ? 'running' : works.length > 0 ? 'succeeded' : 'failed';
      return [
        {
          id: textOf(task['name']) ?? '',
          status,
          works,
          ...(status === 'failed' ? { failure: failure ?? 'The vendor made no video.' } : {}),
          said: task,
        },
      ];
    },
  },
});

/** With Google it takes the account's key. */
function addressOf(uri: unknown): string | undefined {
  const said = textOf(uri);
  return said?.startsWith(`${HOST}/`) === true ? said.slice(HOST.length) : said;
}
