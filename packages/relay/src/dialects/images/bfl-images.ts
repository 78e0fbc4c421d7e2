import { type JsonObject, objectOf, textOf } from '../../json/json.ts';
import type { PendingResponse } from '../../model/dialect.ts';
import type { ImagesRequest } from '../../model/neutral-requests.ts';
import { isInProgress } from '../../model/parse-task-status.ts';
import { pickDefinedFields, pickKnownFields } from '../../translate/pick-fields.ts';
import {
  createImageDialect,
  dropImageFields,
  filteredImageError,
  findNearestRatio,
  missingImageError,
  requireSingleImage,
} from './image-dialect.ts';
import { billsInputImages } from './image-usage.ts';

const WAIT_MS = 1_000;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 4:5 5:4 21:9 9:21'.split(' ');
/** Models that take an aspect ratio instead of a size. */
const ratioModels = /kontext|ultra/;
const PIXEL_STEP = 32;
const known = ['seed', 'prompt_upsampling', 'safety_tolerance', 'guidance', 'steps', 'raw'];
const inputImages = ['input_image', 'image_prompt'];

/** Black Forest Labs' models: a task submission, then polling. https://docs.bfl.ai/quick_start/generating_images */
export const bflImages = createImageDialect({
  id: 'bfl-images',
  encodeRequest,
  readPending,
  listImages: (answer) => [textOf(objectOf(answer['result'])['sample']) ?? []].flat(),
  findError({ status }, images) {
    if (images.length > 0) return undefined;
    return /moderated/i.test(textOf(status) ?? '') ? filteredImageError() : missingImageError();
  },
});

/** Returns the polling URL; the response to a submission contains nothing else. */
function readPending({ status, polling_url }: JsonObject): PendingResponse | undefined {
  const at = textOf(polling_url);
  if (at !== undefined) return { at, waitMs: WAIT_MS };
  return isInProgress(status) ? { waitMs: WAIT_MS } : undefined;
}

function encodeRequest(asked: ImagesRequest, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, size, fileFormat, more } = asked;
  requireSingleImage(asked);
  dropImageFields(asked, ['quality', 'style', 'background', 'response_format'], dropped);
  if (ratioModels.test(model)) dropImageFields(asked, ['size'], dropped);
  const stepped = (pixels: number): number => Math.round(pixels / PIXEL_STEP) * PIXEL_STEP;
  return pickDefinedFields({
    prompt,
    ...(ratioModels.test(model)
      ? { aspect_ratio: findNearestRatio(asked, ratios) }
      : size && { width: stepped(size.width), height: stepped(size.height) }),
    output_format: fileFormat,
    ...pickKnownFields(billsInputImages(model) ? known : [...known, ...inputImages], more, dropped),
  });
}
