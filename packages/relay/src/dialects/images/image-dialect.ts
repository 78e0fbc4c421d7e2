/**
 * Shared implementation for upstreams of images that no client dialect matches. Vendors that accept a task are polled
 * until its images are ready.
 */

import { UpstreamError, type UpstreamErrorKind } from '../../errors/upstream-error.ts';
import type { JsonObject } from '../../json/json.ts';
import type { UpstreamCodec, UpstreamDialect } from '../../model/dialect.ts';
import type { UpstreamDialectId } from '../../model/dialect-id.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { GeneratedImage, ImagesRequest } from '../../model/neutral-requests.ts';
import { readImageUsage } from './image-usage.ts';

interface ImageDialectSpec extends Pick<UpstreamDialect, 'pack' | 'readPending'> {
  id: UpstreamDialectId;
  encodeRequest: UpstreamCodec<ImagesRequest, readonly GeneratedImage[]>['encodeRequest'];
  /** Returns the images of a response: their URLs, unless `toImage` reads them otherwise. */
  listImages: (answer: JsonObject) => string[];
  toImage?: (image: string) => GeneratedImage;
  /** Counts the images that the vendor bills, if it bills others than the delivered ones. */
  countBilled?: (answer: JsonObject) => number;
  /** Returns the error of a response; absent if a response without images is not explained. */
  findError?: (answer: JsonObject, images: readonly string[]) => UpstreamError | undefined;
}

/** Creates a dialect whose vendor reports only the images. */
export function createImageDialect(own: ImageDialectSpec): UpstreamDialect {
  const { id, encodeRequest, listImages, toImage = (url) => ({ url }), countBilled, findError, ...others } = own;
  return {
    id,
    operation: 'images',
    readNonStreaming(answer, _lost, request) {
      const binaries = listImages(answer);
      const count = countBilled?.(answer) ?? binaries.length;
      return { usage: readImageUsage(request, {}, count), content: [], binaries };
    },
    upstreamCodecs: {
      images: {
        encodeRequest,
        decodeResponse(answer) {
          const images = listImages(answer);
          const error = findError?.(answer, images);
          if (error !== undefined) throw error;
          return images.map(toImage);
        },
      },
    },
    ...others,
  };
}

/** Returns the error of a request that the vendor's content filter refused. */
export function filteredImageError(what = 'image was blocked'): UpstreamError {
  const message = `The ${what} by the provider’s content filter.`;
  return new UpstreamError('rejected', message, { status: 200, code: 'content_filter' });
}

/** Returns the error of images that the vendor generated, withholds and bills. */
export function withheldImageError(): UpstreamError {
  const message = 'The provider’s content filter withheld the generated image, which is charged because it is billed.';
  return new UpstreamError('rejected', message, { status: 200, code: 'content_filter', billing: 'result' });
}

/** Returns the error of a task that ended without an image. */
export function missingImageError(kind: UpstreamErrorKind = 'overloaded'): UpstreamError {
  return new UpstreamError(kind, 'The upstream returned no image.', { status: 200 });
}

/**
 * Returns the aspect ratio nearest to the requested size, for vendors that support ratios instead of sizes; undefined
 * if no size was requested.
 * @param ratios as `16:9`, in the vendor's own spelling
 */
export function findNearestRatio({ size }: Pick<ImagesRequest, 'size'>, ratios: readonly string[]): string | undefined {
  if (size === undefined) return undefined;
  const wanted = Math.log(size.width / size.height);
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(/\D/).map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Returns true if the aspect ratio fully expresses the requested size. */
function isRatioOnly({ size }: ImagesRequest): boolean {
  return size === undefined || (size.width === 1024 && size.height === 1024);
}

/**
 * Fields that a vendor may not support, by the client's name; each function returns true if the request loses something
 * without it.
 */
const losses = {
  quality: ({ quality }: ImagesRequest) => quality !== undefined,
  style: ({ style }: ImagesRequest) => style !== undefined,
  background: ({ background }: ImagesRequest) => background !== undefined,
  output_format: ({ fileFormat }: ImagesRequest) => fileFormat !== undefined,
  /** Delivery, for vendors that return URLs. */
  response_format: ({ delivery }: ImagesRequest) => delivery === 'base64',
  /** Size, for vendors that take an aspect ratio instead. */
  size: (asked: ImagesRequest) => !isRatioOnly(asked),
};

/** @throws InvalidRequestError for several images, which the vendor does not generate in one request */
export function requireSingleImage({ count }: ImagesRequest, unit = 'image'): void {
  if (count > 1)
    throw new InvalidRequestError(`n is ${count}, but this model generates one ${unit} per request. Set n to 1.`, 'n');
}

export function dropImageFields(
  asked: ImagesRequest,
  fields: readonly (keyof typeof losses)[],
  dropped: string[],
): void {
  for (const field of fields) if (losses[field](asked)) dropped.push(field);
}
