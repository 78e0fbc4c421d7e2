import type { ImagesAsked } from '../../surfaces.ts';

/**
 * For vendors that know shapes instead of sizes: the one that is nearest to the size, where one is asked for.
 * @param ratios as `16:9`, in the vendor's own spelling
 */
export function nearestRatio({ size }: ImagesAsked, ratios: readonly string[]): string | undefined {
  if (size === undefined) return undefined;
  const wanted = Math.log(size.width / size.height);
  const distance = (ratio: string): number => {
    const [width = 1, height = 1] = ratio.split(/\D/).map(Number);
    return Math.abs(Math.log(width / height) - wanted);
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Whether the shape says all that the size did. */
export function isShapeAlone({ size }: ImagesAsked): boolean {
  return size === undefined || (size.width === 1024 && size.height === 1024);
}

/** By their names at the client; what has no value is not lost. */
export function dropImageFields(
  asked: ImagesAsked,
  fields: readonly ('quality' | 'style' | 'background')[],
  dropped: string[],
): void {
  for (const field of fields) if (asked[field] !== undefined) dropped.push(field);
}
