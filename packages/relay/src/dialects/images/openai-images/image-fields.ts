import type { ImagesAsked } from '../../../model/surfaces.ts';

/**
 * For vendors that know shapes instead of sizes: the one that is nearest to the size, where one is asked for.
 * @param ratios as `16:9`, in the vendor's own spelling
 */
export function nearestRatio(
  { size }: Pick<ImagesAsked, 'size'>,
  ratios: readonly string[],
): string | undefined {
  if (size === undefined) return undefined;
  const wanted = Math.log(size.width / size.height);
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(/\D/).map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Whether the shape says all that the size did. */
function isShapeAlone({ size }: ImagesAsked): boolean {
  return size === undefined || (size.width === 1024 && size.height === 1024);
}

/** What a vendor can be without, by its name at the client: whether a request loses something by it. */
const losses = {
  quality: ({ quality }: ImagesAsked) => quality !== undefined,
  style: ({ style }: ImagesAsked) => style !== undefined,
  background: ({ background }: ImagesAsked) => background !== undefined,
  output_format: ({ fileFormat }: ImagesAsked) => fileFormat !== undefined,
  /** Where pictures come by address. */
  response_format: ({ delivery }: ImagesAsked) => delivery === 'base64',
  /** Where a shape is told instead. */
  size: (asked: ImagesAsked) => !isShapeAlone(asked),
};

export function dropImageFields(
  asked: ImagesAsked,
  fields: readonly (keyof typeof losses)[],
  dropped: string[],
): void {
  for (const field of fields) if (losses[field](asked)) dropped.push(field);
}
