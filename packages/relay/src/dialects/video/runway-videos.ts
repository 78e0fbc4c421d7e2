import { numberOf, textOf } from '../../json/json.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, listSeconds, matchOption, toImageUrl } from './video-dialect.ts';

const ratios = '1280:720 720:1280 1104:832 832:1104 960:960 1584:672'.split(' ');
/** Chosen only if the client names them. */
const largeRatios = ['1920:1080', '1080:1920'];
const known = ['seed', 'ratio', 'contentModeration'];

/** https://docs.dev.runwayml.com/api/ */
export const runwayVideos = createVideoDialect({
  id: 'runway-videos',
  options: (model) => ({ lengths: listLengths(model), variants: [...ratios, ...largeRatios] }),
  chooseVariant: (variants, { size, more: { ratio } }) =>
    ratio === undefined ? (findNearestRatio({ size }, ratios) ?? '1280:720') : matchOption(variants, ratio, 'ratio'),
  encode({ prompt, seconds, variant, image, more }, model, dropped) {
    return pickDefinedFields({
      model,
      promptText: prompt,
      promptImage: image && toImageUrl(image),
      duration: seconds,
      ...pickKnownFields(known, more, dropped),
      ratio: variant,
    });
  },
  readId: (answer) => answer['id'],
  path: (id) => `/v1/tasks/${id}`,
  read(task) {
    const progress = numberOf(task['progress']);
    return {
      word: task['status'],
      progress: progress === undefined ? undefined : Math.floor(progress * 100),
      urlCandidates: [task['output']],
      failure: task['failure'],
      // https://docs.dev.runwayml.com/usage/moderation, "Cost of moderated generations"
      isBilled: textOf(task['failureCode'])?.startsWith('SAFETY.') === true,
    };
  },
});

function listLengths(model: string): number[] {
  if (model.startsWith('veo')) return [4, 6, 8];
  return model.startsWith('gen3') ? [5, 10] : listSeconds(2, 10);
}
