import { garbled } from '../../../errors/answer-errors.ts';
import { textOf } from '../../../json/json.ts';
import type { ClientSurface } from '../../../model/format.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import type { ImagesAsked, Picture } from '../../../model/surfaces.ts';
import { readChoices, requireText } from '../../../translate/request-fields.ts';
import { fieldsBeyond } from '../../openai/defined-fields.ts';

const covered = new Set(
  'model prompt n size quality style output_format background response_format user stream'.split(' '),
);
const fileFormats: ReadonlyMap<unknown, ImagesAsked['fileFormat']> = new Map(
  (['png', 'jpeg', 'webp'] as const).map((format) => [format, format]),
);
const deliveries: ReadonlyMap<unknown, ImagesAsked['delivery']> = new Map(
  [
    ['url', 'url'],
    ['b64_json', 'base64'],
  ] as const, // prettier-ignore
);
/** No vendor draws larger ones. */
const sizePattern = /^(\d{2,5})x(\d{2,5})$/;

/** A request for pictures from words, for an upstream that has its own way to be asked for them. */
export const imagesSurface: ClientSurface<ImagesAsked, readonly Picture[]> = {
  decodeRequest(body) {
    if (body['stream'] === true) throw new InvalidRequest('This model cannot stream images.', 'stream');
    return {
      prompt: requireText(body, 'prompt'),
      count: readChoices(body, 'n'),
      size: sizeOf(textOf(body['size'])),
      quality: chosen(body['quality']),
      style: chosen(body['style']),
      background: chosen(body['background']),
      fileFormat: fileFormats.get(body['output_format']),
      delivery: deliveries.get(body['response_format']),
      more: fieldsBeyond(covered, body),
    };
  },
  encodeAnswer(pictures) {
    if (pictures.length === 0) throw garbled('The upstream returned no image.');
    return {
      created: Math.floor(Date.now() / 1000),
      data: pictures.map((picture) => ('url' in picture ? picture : { b64_json: picture.base64 })),
    };
  },
};

function chosen(value: unknown): string | undefined {
  const text = textOf(value);
  return text === 'auto' ? undefined : text;
}

/** @throws InvalidRequest */
function sizeOf(size: string | undefined): ImagesAsked['size'] {
  if (size === undefined || size === 'auto') return undefined;
  const [, width, height] = sizePattern.exec(size) ?? [];
  if (width === undefined || height === undefined)
    throw new InvalidRequest('size must be WIDTHxHEIGHT, such as 1024x1024, or auto.', 'size');
  return { width: Number(width), height: Number(height) };
}
