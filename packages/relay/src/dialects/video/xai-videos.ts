import { reportsCost } from '../../errors/read-upstream-error.ts';
import { numberOf, objectOf } from '../../json/json.ts';
import { isInProgress } from '../../model/parse-task-status.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, listSeconds, toImageUrl, toVideoUsage } from './video-dialect.ts';

const ratios = '16:9 9:16 1:1 4:3 3:4 3:2 2:3'.split(' ');
const videoOptions = { lengths: listSeconds(1, 15), variants: ['480p', '720p', '1080p'] };
const known = ['resolution', 'aspect_ratio'];

/** https://docs.x.ai/developers/rest-api-reference/inference/videos */
export const xaiVideos = createVideoDialect({
  id: 'xai-videos',
  options: () => videoOptions,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    return pickDefinedFields({
      model,
      prompt,
      duration: seconds,
      aspect_ratio: image === undefined ? findNearestRatio({ size }, ratios) : undefined,
      image: image && { url: toImageUrl(image) },
      ...pickKnownFields(known, more, dropped),
      resolution: variant,
    });
  },
  readId: (answer) => answer['request_id'],
  path: (id) => `/v1/videos/${id}`,
  read(task) {
    const video = objectOf(task['video']);
    // A moderated video is done without a URL.
    const isHeldBack = video['respect_moderation'] === false && !isInProgress(task['status']);
    return {
      word: task['status'],
      // Its only word for an open task is `pending`.
      status: isHeldBack ? 'failed' : isInProgress(task['status']) ? 'running' : undefined,
      progress: task['progress'],
      urlCandidates: [video['url']],
      failure: objectOf(task['error'])['message'],
      isBilled: reportsCost(task),
      usage: toVideoUsage(numberOf(video['duration'])),
    };
  },
});
