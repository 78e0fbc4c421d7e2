import type { Pending, UpstreamDialect } from '../format.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { ImagesAsked, Picture } from '../surfaces.ts';
import { UpstreamError } from '../upstream-error.ts';
import { dropImageFields, isShapeAlone, nearestRatio } from './openai-images/image-fields.ts';
import { pictureUsage } from './openai-images/picture-usage.ts';
import { knownAmong, said } from './said-fields.ts';

const WAIT_MS = 1_000;
const ratios = '1:1 16:9 9:16 4:3 3:4 3:2 2:3 4:5 5:4 21:9 9:21'.split(' ');
/** Models that are told a shape, not a size. */
const shaped = /kontext|ultra/;
const PIXEL_STEP = 32;
const known = [
  'seed',
  'prompt_upsampling',
  'safety_tolerance',
  'guidance',
  'steps',
  'raw',
  'input_image',
  'image_prompt',
];

/** Black Forest Labs' models: an order, and an address to ask at for the picture. https://docs.bfl.ai/quick_start/generating_images */
export const bflImages: UpstreamDialect = {
  id: 'bfl-images',
  operation: 'images',
  readWhole(answer, _lost, request) {
    const url = urlIn(answer);
    const binaries = url === undefined ? [] : [url];
    return { usage: pictureUsage(request, {}, binaries.length), content: [], binaries };
  },
  pending,
  serves: { images: { encodeRequest, decodeAnswer } },
};

/** Of an order nothing but the address is told. */
function pending({ status, polling_url }: JsonObject): Pending | undefined {
  const at = textOf(polling_url);
  if (at !== undefined) return { at, waitMs: WAIT_MS };
  const isOnItsWay = typeof status === 'string' && /^(pending|queued|processing)$/i.test(status);
  return isOnItsWay ? { waitMs: WAIT_MS } : undefined;
}

function encodeRequest(asked: ImagesAsked, model: string, dropped: string[]): Record<string, unknown> {
  const { prompt, count, size, fileFormat, delivery, more } = asked;
  if (count > 1) throw new InvalidRequest('This model makes one picture for each request.', 'n');
  dropImageFields(asked, ['quality', 'style', 'background'], dropped);
  if (delivery === 'base64') dropped.push('response_format');
  if (shaped.test(model) && !isShapeAlone(asked)) dropped.push('size');
  const stepped = (pixels: number): number => Math.round(pixels / PIXEL_STEP) * PIXEL_STEP;
  return said({
    prompt,
    ...(shaped.test(model)
      ? { aspect_ratio: nearestRatio(asked, ratios) }
      : size && { width: stepped(size.width), height: stepped(size.height) }),
    output_format: fileFormat,
    ...knownAmong(known, more, dropped),
  });
}

function urlIn(answer: JsonObject): string | undefined {
  return textOf(objectOf(answer['result'])['sample']);
}

/** @throws UpstreamError when the picture was not made, or is not shown */
function decodeAnswer(answer: JsonObject): Picture[] {
  const url = urlIn(answer);
  if (url !== undefined) return [{ url }];
  const status = textOf(answer['status']) ?? '';
  if (/moderated/i.test(status))
    throw new UpstreamError('rejected', 'The picture was withheld by the vendor’s content filter.', {
      status: 200,
      code: 'content_filter',
    });
  throw new UpstreamError('overloaded', 'The upstream made no picture.', { status: 200 });
}
