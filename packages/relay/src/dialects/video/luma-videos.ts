import { objectOf, textOf } from '../../json/json.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, toVideoUsage } from './video-dialect.ts';

const ratios = '16:9 9:16 1:1 4:3 3:4 21:9 9:21'.split(' ');
const videoOptions = { lengths: [5, 9], variants: ['540p', '720p', '1080p', '4k'] };
const known = ['resolution', 'aspect_ratio', 'loop', 'keyframes', 'concepts'];

/** https://docs.lumalabs.ai/reference/creategeneration */
export const lumaVideos = createVideoDialect({
  id: 'luma-videos',
  options: () => videoOptions,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    // Images are accepted by URL only.
    if (image !== undefined && !('url' in image)) dropped.push('input_reference');
    return pickDefinedFields({
      model,
      prompt,
      duration: `${seconds}s`,
      aspect_ratio: findNearestRatio({ size }, ratios),
      keyframes: image !== undefined && 'url' in image ? { frame0: { type: 'image', url: image.url } } : undefined,
      ...pickKnownFields(known, more, dropped),
      resolution: variant,
    });
  },
  readId: (answer) => answer['id'],
  path: (id) => `/dream-machine/v1/generations/${id}`,
  read: (task) => ({
    word: task['state'],
    urlCandidates: [objectOf(task['assets'])['video']],
    failure: task['failure_reason'],
    // Length of the submitted request: five or nine, whatever the client requested.
    usage: toVideoUsage(Number.parseInt(textOf(objectOf(task['request'])['duration']) ?? '', 10)),
  }),
});
