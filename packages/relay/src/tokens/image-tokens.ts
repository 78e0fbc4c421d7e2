/** Function that returns an image's tokens in a prompt by its size. */
import { IMAGE_HEAD_BYTES, type ImageSize, readImageSize } from './image-size.ts';

export type ImageRule = (size: ImageSize, detail: unknown) => number;

/** When the size is not known: a picture of about a megapixel, which costs 765 to 1,600 tokens by vendor. */
const TYPICAL = 1_000;

/** Larger pictures are scaled to 2048 × 2048, then to a short side of 768; each tile of 512 × 512 counts. */
export function openaiTiles(base: number, tile: number): ImageRule {
  return (size, detail) => {
    if (detail === 'low') return base;
    const inside = scaledTo(size, 2_048 / Math.max(size.width, size.height));
    const { width, height } = scaledTo(inside, 768 / Math.min(inside.width, inside.height));
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512);
  };
}

const PATCHES_MAX = 1_536;

/** Each patch of 32 × 32 counts, at most 1,536 of them, times the model's factor. */
export function openaiPatches(factor: number): ImageRule {
  return ({ width, height }) =>
    Math.ceil(Math.min(PATCHES_MAX, Math.ceil(width / 32) * Math.ceil(height / 32)) * factor);
}

const CLAUDE_TOKENS_MAX = 1_568;

/** Larger pictures are scaled to a long side of 1,568; each patch of 28 × 28 counts. */
export const claudeImage: ImageRule = (size) => {
  const { width, height } = scaledTo(size, 1_568 / Math.max(size.width, size.height));
  return Math.min(CLAUDE_TOKENS_MAX, Math.ceil(width / 28) * Math.ceil(height / 28));
};

/**
 * 258 up to 384 × 384, and for each tile of 768 × 768 of a larger one.
 * https://ai.google.dev/gemini-api/docs/image-understanding, "Token calculation"
 */
export const geminiImage: ImageRule = ({ width, height }) =>
  Math.max(width, height) <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);

/** Never larger than it is. */
function scaledTo({ width, height }: ImageSize, factor: number): ImageSize {
  const scale = Math.min(1, factor);
  return { width: width * scale, height: height * scale };
}

/** @param base64 the picture, or undefined when it lies behind an address */
export function imageTokens(rule: ImageRule | undefined, base64: string | undefined, detail: unknown): number {
  if (rule === undefined || base64 === undefined) return TYPICAL;
  const head = Buffer.from(base64.slice(0, Math.ceil(IMAGE_HEAD_BYTES / 3) * 4), 'base64');
  const size = readImageSize(head);
  return size === undefined ? TYPICAL : rule(size, detail);
}
