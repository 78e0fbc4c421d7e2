import { numberOf, objectOf } from '../json.ts';
import { percentOf, type TaskStatus } from '../tasks.ts';
import { nearestRatio } from './openai-images/image-fields.ts';
import { between, orderedVideo, pictureUrl, secondsMade, statusBy } from './ordered-video.ts';
import { knownAmong, said } from './said-fields.ts';

const ratios = '16:9 9:16 1:1 4:3 3:4 3:2 2:3'.split(' ');
const films = { lengths: between(1, 15), variants: ['480p', '720p', '1080p'] };
const known = ['resolution', 'aspect_ratio'];
const statuses: Readonly<Record<string, TaskStatus>> = {
  pending: 'running',
  done: 'succeeded',
  failed: 'failed',
  expired: 'failed',
};

/** https://docs.x.ai/developers/rest-api-reference/inference/videos */
export const xaiVideos = orderedVideo({
  id: 'xai-videos',
  films: () => films,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    return said({
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
  read(task, id) {
    const video = objectOf(task['video']);
    // What moderation holds back is done, and has no address.
    const isHeldBack = task['status'] === 'done' && video['respect_moderation'] === false;
    return {
      // The answer to a question does not repeat which task it is about.
      id,
      status: isHeldBack ? 'failed' : statusBy(statuses, task['status']),
      progress: percentOf(task['progress']),
      at: [video['url']],
      failure: objectOf(task['error'])['message'],
      usage: secondsMade(numberOf(video['duration'])),
    };
  },
});
