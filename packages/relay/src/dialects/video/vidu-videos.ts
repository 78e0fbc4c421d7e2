import { listOf, objectOf } from '../../json/json.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, listSeconds, toImageUrl, type VideoOptions } from './video-dialect.ts';

const ratios = '16:9 9:16 1:1'.split(' ');
const known = ['style', 'seed', 'aspect_ratio', 'resolution', 'movement_amplitude'];
const newerOptions = { lengths: listSeconds(1, 16), variants: ['540p', '720p', '1080p'] };
const families: readonly (VideoOptions & { models: RegExp })[] = [
  { models: /^viduq1/, lengths: [5], variants: ['1080p'] },
  { models: /^viduq2/, lengths: listSeconds(1, 10), variants: newerOptions.variants },
  { models: /^vidu[12]\./, lengths: [4, 8], variants: ['360p', '720p', '1080p'] },
];

/** https://platform.vidu.com/docs/text-to-video */
export const viduVideos = createVideoDialect({
  id: 'vidu-videos',
  options: (model) => families.find(({ models }) => models.test(model)) ?? newerOptions,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    return pickDefinedFields({
      model,
      prompt,
      duration: seconds,
      images: image && [toImageUrl(image)],
      aspect_ratio: image === undefined ? findNearestRatio({ size }, ratios) : undefined,
      ...pickKnownFields(known, more, dropped),
      resolution: variant,
    });
  },
  readId: (answer) => answer['task_id'],
  path: (id) => `/ent/v2/tasks/${id}/creations`,
  read: (task) => ({
    word: task['state'],
    urlCandidates: listOf(task['creations']).map((creation) => objectOf(creation)['url']),
    failure: task['err_code'],
  }),
});
