import { type JsonObject, listOf, objectOf, textOf } from '../../json/json.ts';
import type { PendingResponse } from '../../model/dialect.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { isInProgress } from '../../model/parse-task-status.ts';
import { parseTaskId } from '../../model/task-and-call-ids.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import {
  createImageDialect,
  dropImageFields,
  filteredImageError,
  findNearestRatio,
  missingImageError,
} from './image-dialect.ts';

export const KLING_IMAGES_PATH = '/v1/images/generations';

const WAIT_MS = 1_500;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 21:9'.split(' ');
const known = ['negative_prompt', 'image', 'image_reference', 'image_fidelity', 'human_fidelity'];

/**
 * Kling's images: a task submission, then polling.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/imageGeneration
 */
export const klingImages = createImageDialect({
  id: 'kling-images',
  encodeRequest,
  readPending,
  listImages({ data }) {
    const { images } = objectOf(objectOf(data)['task_result']);
    return listOf(images).flatMap((image) => textOf(objectOf(image)['url']) ?? []);
  },
  findError({ data }, images) {
    if (images.length > 0) return undefined;
    const reason = textOf(objectOf(data)['task_status_msg']) ?? '';
    return /risk|sensitive|violat|policy/i.test(reason) ? filteredImageError() : missingImageError();
  },
});

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
