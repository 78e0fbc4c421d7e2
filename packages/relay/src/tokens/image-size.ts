/** Width and height from the first bytes of an image, without decoding it. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Maximum bytes to read; JPEG has its size after thumbnails and color profiles. */
export const IMAGE_HEAD_BYTES = 65_536;

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
