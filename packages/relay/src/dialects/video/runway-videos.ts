import { numberOf } from '../../json/json.ts';
import { nearestRatio } from '../images/openai-images/image-fields.ts';
import { definedFields, knownAmong } from '../openai/defined-fields.ts';
import { between, oneAmong, orderedVideo, pictureUrl } from './video-submission.ts';

const ratios = '1280:720 720:1280 1104:832 832:1104 960:960 1584:672'.split(' ');
/** Only for who names them. */
const largeRatios = ['1920:1080', '1080:1920'];
const known = ['seed', 'ratio', 'contentModeration'];

/** https://docs.dev.runwayml.com/api/ */
export const runwayVideos = orderedVideo({
  id: 'runway-videos',
  films: (model) => ({ lengths: lengthsOf(model), variants: [...ratios, ...largeRatios] }),
  choose: (variants, { size, more: { ratio } }) =>
    ratio === undefined ? (nearestRatio({ size }, ratios) ?? '1280:720') : oneAmong(variants, ratio, 'ratio'),
  encode({ prompt, seconds, variant, image, more }, model, dropped) {
    return definedFields({
      model,
      promptText: prompt,
      promptImage: image && pictureUrl(image),
      duration: seconds,
      ...knownAmong(known, more, dropped),
      ratio: variant,
    });
  },
  idIn: (answer) => answer['id'],
  path: (id) => `/v1/tasks/${id}`,
  read(task) {
    const progress = numberOf(task['progress']);
    return {
      word: task['status'],
      progress: progress === undefined ? undefined : Math.floor(progress * 100),
      at: [task['output']],
      failure: task['failure'],
    };
  },
});

function lengthsOf(model: string): number[] {
  if (model.startsWith('veo')) return [4, 6, 8];
  return model.startsWith('gen3') ? [5, 10] : between(2, 10);
}
