/** Function that returns the prompt tokens of an image by its size. */
import { IMAGE_HEAD_BYTES, type ImageSize, readImageSize } from './image-size.ts';

export type ImageRule = (size: ImageSize, detail: unknown) => number;

/** Tokens of an image of unknown size: about a megapixel, which is 765 to 1,600 tokens, depending on the vendor. */
const TYPICAL = 1_000;

/**
 * Creates the rule of OpenAI's tiles: images are reduced to 2048 × 2048, then to a short side of 768; each tile of
 * 512 × 512 counts.
 */
export function openaiTiles(base: number, tile: number): ImageRule {
  return (size, detail) => {
    if (detail === 'low') return base;
    const inside = scaledTo(size, 2_048 / Math.max(size.width, size.height));
    const { width, height } = scaledTo(inside, 768 / Math.min(inside.width, inside.height));
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512);
  };
}

const PATCHES_MAX = 1_536;

/** Creates the rule of OpenAI's patches: each patch of 32 × 32 counts, at most 1,536, times the model's factor. */
export function openaiPatches(factor: number): ImageRule {
  return ({ width, height }) =>
    Math.ceil(Math.min(PATCHES_MAX, Math.ceil(width / 32) * Math.ceil(height / 32)) * factor);
}

const CLAUDE_TOKENS_MAX = 1_568;

/** Returns Claude's tokens: images are reduced to a long side of 1,568; each patch of 28 × 28 counts. */
export const claudeImage: ImageRule = (size) => {
  const { width, height } = scaledTo(size, 1_568 / Math.max(size.width, size.height));
  return Math.min(CLAUDE_TOKENS_MAX, Math.ceil(width / 28) * Math.ceil(height / 28));
};

/**
 * Returns Gemini's tokens: 258 up to 384 × 384, and for each tile of 768 × 768 of a larger image.
 * https://ai.google.dev/gemini-api/docs/image-understanding, "Token calculation"
 */
export const geminiImage: ImageRule = ({ width, height }) =>
  Math.max(width, height) <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);

/** Scales a size, but never enlarges it. */
function scaledTo({ width, height }: ImageSize, factor: number): ImageSize {
  const scale = Math.min(1, factor);
  return { width: width * scale, height: height * scale };
}

/** @param base64 image, or undefined for a URL */
export function imageTokens(rule: ImageRule | undefined, base64: string | undefined, detail: unknown): number {
  if (rule === undefined || base64 === undefined) return TYPICAL;
  const head = Buffer.from(base64.slice(0, Math.ceil(IMAGE_HEAD_BYTES / 3) * 4), 'base64');
  const size = readImageSize(head);
  return size === undefined ? TYPICAL : rule(size, detail);
}
