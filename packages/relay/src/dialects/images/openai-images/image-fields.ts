import type { ImagesRequest } from '../../../model/neutral-requests.ts';

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

export function dropImageFields(
  asked: ImagesRequest,
  fields: readonly (keyof typeof losses)[],
  dropped: string[],
): void {
  for (const field of fields) if (losses[field](asked)) dropped.push(field);
}
