import { UpstreamError } from '../../errors/upstream-error.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import type { PendingResponse, UpstreamDialect } from '../../model/dialect.ts';
import { parseTaskId } from '../../model/ids.ts';
import type { GeneratedImage, ImagesRequest } from '../../model/neutral-requests.ts';
import { isInProgress } from '../../model/task-status.ts';
import { pickDefinedFields, pickKnownFields } from '../openai/defined-fields.ts';
import { createImageReader } from './image-usage.ts';
import { dropImageFields, findNearestRatio } from './openai-images/image-fields.ts';

export const KLING_IMAGES_PATH = '/v1/images/generations';

const WAIT_MS = 1_500;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 21:9'.split(' ');
const known = ['negative_prompt', 'image', 'image_reference', 'image_fidelity', 'human_fidelity'];

/**
 * Kling's images: a task submission, then polling.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/imageGeneration
 */
export const klingImages: UpstreamDialect = {
  id: 'kling-images',
  operation: 'images',
  readNonStreaming: createImageReader(listUrls),
  readPending,
  upstreamCodecs: { images: { encodeRequest, decodeResponse } },
};

function readPending({ data }: JsonObject): PendingResponse | undefined {
  const { task_id: id, task_status: status } = objectOf(data);
  const name = parseTaskId(id);
  if (!isInProgress(status) || name === undefined) return undefined;
  return { at: `${KLING_IMAGES_PATH}/${name}`, waitMs: WAIT_MS };
}

function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, more } = asked;
  dropImageFields(asked, ['quality', 'style', 'background', 'output_format', 'response_format', 'size'], dropped);
  return pickDefinedFields({
    model_name: model,
    prompt,
    n: count === 1 ? undefined : count,
    aspect_ratio: findNearestRatio(asked, ratios),
    ...pickKnownFields(known, more, dropped),
  });
}

function listUrls({ data }: JsonObject): string[] {
  const { images } = objectOf(objectOf(data)['task_result']);
  return listOf(images).flatMap((image) => textOf(objectOf(image)['url']) ?? []);
}

/** @throws UpstreamError when the image failed */
function decodeResponse(answer: JsonObject): GeneratedImage[] {
  const urls = listUrls(answer);
  if (urls.length > 0) return urls.map((url) => ({ url }));
  const why = textOf(objectOf(answer['data'])['task_status_msg']) ?? '';
  if (/risk|sensitive|violat|policy/i.test(why))
    throw new UpstreamError('rejected', 'The image was blocked by the provider’s content filter.', {
      status: 200,
      code: 'content_filter',
    });
  throw new UpstreamError('overloaded', 'The upstream returned no image.', { status: 200 });
}
