import { numberOf, objectOf } from '../../json/json.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect, listSeconds, toImageUrl } from './video-dialect.ts';

const ratios = '16:9 9:16 4:3 3:4 1:1 21:9'.split(' ');
const videoOptions = { lengths: listSeconds(2, 15), variants: ['480p', '720p', '1080p'] };
const known = ['resolution', 'ratio', 'seed', 'camera_fixed', 'watermark', 'return_last_frame'];
/** Priced parameters, which a prompt may also contain: `--rs 1080p`. */
const parameter = /--\s?(?:rs|res|dur|fps|frame)/i;

/** Seedance at Volcengine and BytePlus, billed by tokens. https://docs.byteplus.com/en/docs/ModelArk/1520757 */
export const arkVideos = createVideoDialect({
  id: 'ark-videos',
  options: () => videoOptions,
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    if (parameter.test(prompt))
      throw new InvalidRequestError(
        'Set parameters such as --resolution in their own fields, not in the prompt.',
        'prompt',
      );
    return pickDefinedFields({
      model,
      content: [
        { type: 'text', text: prompt },
        ...(image === undefined
          ? []
          : [{ type: 'image_url', image_url: { url: toImageUrl(image) }, role: 'first_frame' }]),
      ],
      duration: seconds,
      ratio: findNearestRatio({ size }, ratios),
      ...pickKnownFields(known, more, dropped),
      resolution: variant,
    });
  },
  readId: (answer) => answer['id'],
  path: (id) => `/contents/generations/tasks/${id}`,
  read(task) {
    const tokens = numberOf(objectOf(task['usage'])['completion_tokens']);
    return {
      word: task['status'],
      urlCandidates: [objectOf(task['content'])['video_url']],
      failure: objectOf(task['error'])['message'],
      usage: tokens === undefined ? undefined : { output: tokens },
    };
  },
});
