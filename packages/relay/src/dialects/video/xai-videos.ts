import { numberOf, objectOf } from '../../json/json.ts';
import { isUnderWay } from '../../model/task-status.ts';
import { nearestRatio } from '../images/openai-images/image-fields.ts';
import { definedFields, knownAmong } from '../openai/defined-fields.ts';
import { between, orderedVideo, pictureUrl, secondsMade } from './video-submission.ts';

const ratios = '16:9 9:16 1:1 4:3 3:4 3:2 2:3'.split(' ');
const films = { lengths: between(1, 15), variants: ['480p', '720p', '1080p'] };
const known = ['resolution', 'aspect_ratio'];

/** https://docs.x.ai/developers/rest-api-reference/inference/videos */
export const xaiVideos = orderedVideo({
  id: 'xai-videos',
  films: () => films,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    return definedFields({
      model,
      prompt,
      duration: seconds,
      aspect_ratio: image === undefined ? nearestRatio({ size }, ratios) : undefined,
      image: image && { url: pictureUrl(image) },
      ...knownAmong(known, more, dropped),
      resolution: variant,
    });
  },
  idIn: (answer) => answer['request_id'],
  path: (id) => `/v1/videos/${id}`,
  read(task) {
    const video = objectOf(task['video']);
    // What moderation holds back is done, and has no address.
    const isHeldBack = video['respect_moderation'] === false && !isUnderWay(task['status']);
    return {
      word: task['status'],
      // Its one word for all that is open is `pending`.
      status: isHeldBack ? 'failed' : isUnderWay(task['status']) ? 'running' : undefined,
      progress: task['progress'],
      at: [video['url']],
      failure: objectOf(task['error'])['message'],
      usage: secondsMade(numberOf(video['duration'])),
    };
  },
});
