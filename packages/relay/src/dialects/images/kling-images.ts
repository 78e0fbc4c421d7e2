import { UpstreamError } from '../../errors/upstream-error.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import type { Pending, UpstreamDialect } from '../../model/format.ts';
import type { ImagesAsked, Picture } from '../../model/surfaces.ts';
import { taskIdOf } from '../../model/task-id.ts';
import { isUnderWay } from '../../model/task-status.ts';
import { definedFields, knownAmong } from '../openai/defined-fields.ts';
import { readPictures } from './image-usage.ts';
import { dropImageFields, nearestRatio } from './openai-images/image-fields.ts';

export const KLING_IMAGES_PATH = '/v1/images/generations';

const WAIT_MS = 1_500;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 21:9'.split(' ');
const known = ['negative_prompt', 'image', 'image_reference', 'image_fidelity', 'human_fidelity'];

/** Kling's pictures: an order, which is asked for until it is done. https://app.klingai.com/global/dev/document-api/apiReference/model/imageGeneration */
export const klingImages: UpstreamDialect = {
  id: 'kling-images',
  operation: 'images',
  readWhole: readPictures(urlsIn),
  pending,
  serves: { images: { encodeRequest, decodeAnswer } },
};

function pending({ data }: JsonObject): Pending | undefined {
  const { task_id: id, task_status: status } = objectOf(data);
  const name = taskIdOf(id);
  if (!isUnderWay(status) || name === undefined) return undefined;
  return { at: `${KLING_IMAGES_PATH}/${name}`, waitMs: WAIT_MS };
}

function encodeRequest(asked: ImagesAsked, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, more } = asked;
  dropImageFields(
    asked,
    ['quality', 'style', 'background', 'output_format', 'response_format', 'size'],
    dropped,
  );
  return definedFields({
    model_name: model,
    prompt,
    n: count === 1 ? undefined : count,
    aspect_ratio: nearestRatio(asked, ratios),
    ...knownAmong(known, more, dropped),
  });
}

function urlsIn({ data }: JsonObject): string[] {
  const { images } = objectOf(objectOf(data)['task_result']);
  return listOf(images).flatMap((image) => textOf(objectOf(image)['url']) ?? []);
}

/** @throws UpstreamError when the picture was not made */
function decodeAnswer(answer: JsonObject): Picture[] {
  const urls = urlsIn(answer);
  if (urls.length > 0) return urls.map((url) => ({ url }));
  const why = textOf(objectOf(answer['data'])['task_status_msg']) ?? '';
  if (/risk|sensitive|violat|policy/i.test(why))
    throw new UpstreamError('rejected', 'The image was blocked by the provider’s content filter.', {
      status: 200,
      code: 'content_filter',
    });
  throw new UpstreamError('overloaded', 'The upstream returned no image.', { status: 200 });
}
