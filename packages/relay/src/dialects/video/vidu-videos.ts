import { listOf, objectOf } from '../../json/json.ts';
import { nearestRatio } from '../images/openai-images/image-fields.ts';
import { definedFields, knownAmong } from '../openai/defined-fields.ts';
import { between, type Films, orderedVideo, pictureUrl } from './video-submission.ts';

const ratios = '16:9 9:16 1:1'.split(' ');
const known = ['style', 'seed', 'aspect_ratio', 'resolution', 'movement_amplitude'];
const newer = { lengths: between(1, 16), variants: ['540p', '720p', '1080p'] };
const families: readonly (Films & { models: RegExp })[] = [
  { models: /^viduq1/, lengths: [5], variants: ['1080p'] },
  { models: /^viduq2/, lengths: between(1, 10), variants: newer.variants },
  { models: /^vidu[12]\./, lengths: [4, 8], variants: ['360p', '720p', '1080p'] },
];

/** https://platform.vidu.com/docs/text-to-video */
export const viduVideos = orderedVideo({
  id: 'vidu-videos',
  films: (model) => families.find(({ models }) => models.test(model)) ?? newer,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    return definedFields({
      model,
      prompt,
      duration: seconds,
      images: image && [pictureUrl(image)],
      aspect_ratio: image === undefined ? nearestRatio({ size }, ratios) : undefined,
      ...knownAmong(known, more, dropped),
      resolution: variant,
    });
  },
  idIn: (answer) => answer['task_id'],
  path: (id) => `/ent/v2/tasks/${id}/creations`,
  read: (task) => ({
    word: task['state'],
    at: listOf(task['creations']).map((creation) => objectOf(creation)['url']),
    failure: task['err_code'],
  }),
});
