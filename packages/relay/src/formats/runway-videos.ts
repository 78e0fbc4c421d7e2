import { listOf, numberOf, objectOf, textOf } from '../json.ts';
import type { TaskNews, TaskStatus } from '../tasks.ts';
import { nearestRatio } from './openai-images/image-fields.ts';
import { between, oneAmong, orderedVideo, pictureUrl, statusBy, takenAs, videosAt } from './ordered-video.ts';
import { knownAmong, said } from './said-fields.ts';

const ratios = '1280:720 720:1280 1104:832 832:1104 960:960 1584:672'.split(' ');
/** Only for who names them. */
const largeRatios = ['1920:1080', '1080:1920'];
const known = ['seed', 'ratio', 'contentModeration'];
const statuses: Readonly<Record<string, TaskStatus>> = {
  PENDING: 'queued',
  THROTTLED: 'queued',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELLED: 'failed',
};

/** https://docs.dev.runwayml.com/api/ */
export const runwayVideos = orderedVideo({
  id: 'runway-videos',
  films: (model) => ({ lengths: lengthsOf(model), variants: [...ratios, ...largeRatios] }),
  choose: (variants, { size, more: { ratio } }) =>
    ratio === undefined ? (nearestRatio({ size }, ratios) ?? '1280:720') : oneAmong(variants, ratio, 'ratio'),
  encode({ prompt, seconds, variant, image, more }, model, dropped) {
    return said({
      model,
      promptText: prompt,
      promptImage: image && pictureUrl(image),
      duration: seconds,
      ...knownAmong(known, more, dropped),
      ratio: variant,
    });
  },
  orders: {
    taken: (answer) => takenAs(textOf(answer['id']), answer),
    question: ([id = '']) => ({ path: `/v1/tasks/${id}` }),
    read(answer): TaskNews[] {
      const task = objectOf(answer);
      const status = statusBy(statuses, textOf(task['status']));
      const progress = numberOf(task['progress']);
      return [
        {
          id: textOf(task['id']) ?? '',
          status,
          ...(progress === undefined ? {} : { progress: Math.floor(progress * 100) }),
          works: videosAt(listOf(task['output']).map(textOf)),
          ...(status === 'failed' ? { failure: textOf(task['failure']) ?? 'The vendor made no video.' } : {}),
          said: task,
        },
      ];
    },
  },
});

function lengthsOf(model: string): number[] {
  if (model.startsWith('veo')) return [4, 6, 8];
  return model.startsWith('gen3') ? [5, 10] : between(2, 10);
}
