/** Removal of image options whose price the list price does not cover. */
import { billsInputImages } from '../dialects/images/image-usage.ts';
import { getUpstreamDialect } from '../exchange/dialect-registry.ts';
import { objectOf } from '../json/json.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { Quirk } from '../model/provider.ts';

const isForImages = (format: UpstreamDialectId): boolean => getUpstreamDialect(format).operation === 'images';

/** Options of images, apart from OpenAI's fields, that a vendor bills at the list price. */
export interface ImageOptions {
  /** Options that cost nothing, whatever their value. */
  free?: readonly string[];
  /** Options with the values that keep the list price. */
  listPriceValues?: Readonly<Record<string, readonly unknown[]>>;
}

/** OpenAI's fields, whose cost is charged, and options that cost nothing at any vendor. */
const commonImageOptions = [
  'seed',
  'negative_prompt',
  'guidance',
  'guidance_scale',
  'aspect_ratio',
  'watermark',
  'model',
  'prompt',
  'n',
  'size',
  'quality',
  'style',
  'background',
  'output_format',
  'output_compression',
  'moderation',
  'partial_images',
  'response_format',
  'stream',
  'user',
  'image',
  'images',
  'mask',
  'input_fidelity',
];

/** Options with input images, which cost nothing at most models. */
const inputImageOptions: ReadonlySet<string> = new Set([
  'image_url',
  'image_urls',
  'input_image',
  'input_images',
  'image_input',
  'image_prompt',
  'reference_images',
  'condition_image',
]);

/**
 * Creates a quirk that removes every image option that isn't known to keep the list price. A price covers only size and
 * quality, so that any other surcharge would be the operator's loss. An operator can set the option in a channel whose
 * models have prices of their own.
 * @param holder field of the body that holds the options; absent: the body itself
 */
export function keepImageListPrice({ free = [], listPriceValues = {} }: ImageOptions, holder?: string): Quirk {
  const names = new Set([...commonImageOptions, ...free]);
  const keepsPrice = (field: string, value: unknown): boolean =>
    Object.hasOwn(listPriceValues, field) ? listPriceValues[field]?.includes(value) === true : names.has(field);
  return (body, { model }, dropped, format) => {
    if (!isForImages(format)) return body;
    const costs = billsInputImages(model) ? inputImageOptions : undefined;
    const options = holder === undefined ? body : objectOf(body[holder]);
    const kept: [string, unknown][] = [];
    let isChanged = false;
    for (const [field, value] of Object.entries(options)) {
      if (keepsPrice(field, value) && costs?.has(field) !== true) kept.push([field, value]);
      else {
        isChanged = true;
        if (value !== null) dropped.push(field);
      }
    }
    if (!isChanged) return body;
    return holder === undefined ? Object.fromEntries(kept) : { ...body, [holder]: Object.fromEntries(kept) };
  };
}
