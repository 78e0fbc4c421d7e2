import { listOf, objectOf, textOf } from '../../json/json.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import { findNearestRatio } from '../images/image-dialect.ts';
import { createVideoDialect } from './video-dialect.ts';

const ratios = '16:9 9:16'.split(' ');
const newerOptions = { lengths: [4, 6, 8], variants: ['720p', '1080p', '4k'] };
/** Veo 2, whose resolution is fixed. */
const secondOptions = { lengths: [5, 6, 7, 8], variants: ['720p'] };
const secondModels = /^veo-2/;
const known = ['aspectRatio', 'resolution', 'negativePrompt', 'personGeneration', 'seed'];
const operation = /^models\/[\w.-]{1,100}\/operations\/[\w-]{1,100}$/;
const HOST = 'https://generativelanguage.googleapis.com';

/** Google's Veo through the Gemini API. https://ai.google.dev/gemini-api/docs/video */
export const veoVideos = createVideoDialect({
  id: 'veo-videos',
  options: (model) => (secondModels.test(model) ? secondOptions : newerOptions),
  encode({ prompt, seconds, variant, size, image, more }, model, dropped) {
    // Images are accepted inline only.
    const bytes = image !== undefined && 'base64' in image ? image.base64 : undefined;
    if (image !== undefined && bytes === undefined) dropped.push('input_reference');
    return {
      instances: [pickDefinedFields({ prompt, image: bytes && { bytesBase64Encoded: bytes, mimeType: 'image/png' } })],
      parameters: pickDefinedFields({
        durationSeconds: seconds,
        aspectRatio: findNearestRatio({ size }, ratios),
        ...pickKnownFields(known, more, dropped),
        resolution: secondModels.test(model) ? undefined : variant,
      }),
    };
  },
  readId: (answer) => answer['name'],
  idPattern: operation,
  path: (id) => `/v1beta/${id}`,
  read(task) {
    const made = objectOf(objectOf(task['response'])['generateVideoResponse']);
    const at = listOf(made['generatedSamples']).flatMap(
      (sample) => toDownloadUrl(objectOf(objectOf(sample)['video'])['uri']) ?? [],
    );
    const [reason] = listOf(made['raiMediaFilteredReasons']);
    return {
      status: task['done'] !== true ? undefined : at.length > 0 ? 'succeeded' : 'failed',
      urlCandidates: at,
      failure: textOf(objectOf(task['error'])['message']) ?? reason,
    };
  },
});

/** Returns a video's URL: a path at Google, which requires the account's key, or any other URL unchanged. */
function toDownloadUrl(uri: unknown): string | undefined {
  const said = textOf(uri);
  return said?.startsWith(`${HOST}/`) === true ? said.slice(HOST.length) : said;
}
