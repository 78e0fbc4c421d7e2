/** Function that returns the prompt tokens of an image by its size. */
export type ImageRule = (size: ImageSize, detail: unknown) => number;

/** Tokens of an image of unknown size: about a megapixel, which is 765 to 1,600 tokens, depending on the vendor. */
const TYPICAL = 1_000;
const PATCHES_MAX = 1_536;
const CLAUDE_TOKENS_MAX = 1_568;
/** Maximum bytes to read; JPEG has its size after thumbnails and color profiles. */
const IMAGE_HEAD_BYTES = 65_536;

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

/** Creates the rule of OpenAI's patches: each patch of 32 × 32 counts, up to a maximum, times the model's factor. */
export function openaiPatches(factor: number, patchesMax = PATCHES_MAX): ImageRule {
  return ({ width, height }) =>
    Math.ceil(Math.min(patchesMax, Math.ceil(width / 32) * Math.ceil(height / 32)) * factor);
}

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

/** Width and height from the first bytes of an image, without decoding it. */
interface ImageSize {
  width: number;
  height: number;
}

/** Reads the size of PNG, GIF, WebP and JPEG, the formats that vendors accept; returns undefined for others. */
export function readImageSize(head: Buffer): ImageSize | undefined {
  if (head.length < 30) return undefined;
  if (head.readUInt32BE(0) === 0x89_50_4e_47) return sizeOf(head.readUInt32BE(16), head.readUInt32BE(20));
  const kind = head.toString('latin1', 0, 4);
  if (kind === 'GIF8') return sizeOf(head.readUInt16LE(6), head.readUInt16LE(8));
  if (kind === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head);
  return head.readUInt16BE(0) === 0xff_d8 ? jpegSize(head) : undefined;
}

function sizeOf(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(head: Buffer): ImageSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return sizeOf(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return sizeOf((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return sizeOf(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}

/**
 * Returns the size of a JPEG image: walks from marker to marker up to a start of frame (C0 to CF, except the three that
 * are tables).
 */
function jpegSize(head: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 < head.length) {
    if (head[at] !== 0xff) return undefined;
    const marker = head[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sizeOf(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
    at += 2 + Math.max(2, head.readUInt16BE(at + 2));
  }
  return undefined;
}
