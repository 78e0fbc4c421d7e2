import { describe, expect, it } from 'vitest';
import { imageTokens, readImageSize } from './image-size-and-tokens.ts';
import { findModelFamily } from './tokenizer-family.ts';

const padded = (bytes: readonly number[]): Buffer => Buffer.concat([Buffer.from(bytes), Buffer.alloc(40)]);
const ascii = (text: string): number[] => [...Buffer.from(text, 'latin1')];

/** Headers as the formats' specifications lay them out. */
const png = (width: number, height: number): Buffer => {
  const head = Buffer.alloc(33);
  head.set([0x89, ...ascii('PNG\r\n\x1a\n'), 0, 0, 0, 13, ...ascii('IHDR')]);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
};
const jpegFrame = [0xff, 0xc0, 0, 17, 8, 2, 88, 3, 32, 3];
const jpegThumbnail = [0xff, 0xe0, 0, 6, 1, 2, 3, 4];

describe('readImageSize', () => {
  it.each([
    ['PNG', png(1024, 768), { width: 1024, height: 768 }],
    ['GIF', padded([...ascii('GIF89a'), 0x40, 1, 0xf0, 0]), { width: 320, height: 240 }],
    ['JPEG', padded([0xff, 0xd8, ...jpegThumbnail, ...jpegFrame]), { width: 800, height: 600 }],
    [
      'lossy WebP',
      padded([...ascii('RIFF\0\0\0\0WEBPVP8 \0\0\0\0'), 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xf0, 0]),
      { width: 320, height: 240 },
    ],
    [
      'extended WebP',
      padded([...ascii('RIFF\0\0\0\0WEBPVP8X\0\0\0\0'), 0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0]),
      { width: 320, height: 240 },
    ],
  ])('reads %s', (_name, head, size) => {
    expect(readImageSize(head)).toEqual(size);
  });

  it.each([
    ['text', padded(ascii('just some text, no picture at all'))],
    ['an empty PNG', png(0, 0)],
    ['a JPEG that stops', padded([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
    ['nothing', Buffer.alloc(0)],
  ])('returns undefined for %s', (_name, head) => {
    expect(readImageSize(head)).toBeUndefined();
  });
});

describe('image tokens', () => {
  const cost = (model: string, width: number, height: number, detail?: string): number =>
    imageTokens(findModelFamily(model).image, png(width, height).toString('base64'), detail);

  // The examples of the vendors' documentation.
  it.each([
    ['gpt-4o', 1024, 1024, undefined, 765],
    ['gpt-4o', 2048, 4096, undefined, 1_105],
    ['gpt-4o', 4096, 8192, 'low', 85],
    ['gpt-4.1-mini', 1024, 1024, undefined, Math.ceil(1_024 * 1.62)],
    ['openai/gpt-4o', 1024, 1024, undefined, 765],
    ['gpt-5.2', 4000, 3000, undefined, 1_844],
    ['gpt-5.4', 4000, 3000, undefined, 3_000],
    ['gpt-5.5', 4000, 2500, undefined, 11_850],
    ['gpt-6-astra', 9000, 9000, undefined, 12_000],
    ['claude-sonnet-4-5', 200, 200, undefined, 64],
    ['claude-sonnet-4-5', 8000, 8000, undefined, 1_568],
  ])('of %s, %i × %i, are %s', (model, width, height, detail, tokens) => {
    expect(cost(model, width, height, detail)).toBe(tokens);
  });

  it('use a typical image if the size is unknown', () => {
    expect(imageTokens(findModelFamily('gpt-4o').image, undefined, undefined)).toBe(1_000);
    expect(imageTokens(findModelFamily('gpt-4o').image, 'bm90IGEgcGljdHVyZQ==', undefined)).toBe(1_000);
  });
});
