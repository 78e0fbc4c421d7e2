import { describe, expect, it } from 'vitest';
import { resolveMediaType } from './media-type.ts';

const heads = {
  'image/png': '89504e470d0a1a0a0000000d49484452',
  'image/jpeg': 'ffd8ffe000104a464946',
  'image/gif': '474946383961',
  'image/webp': '524946462400000057454250',
  'application/pdf': '255044462d312e37',
  'audio/wav': '524946462400000057415645',
  'video/mp4': '0000001866747970',
  'image/tiff': '4d4d002a00000008',
  'image/heic': '00000018667479706865697800000000',
  'image/heif': '00000018667479706d69663100000000',
  'audio/mpeg': 'fffb9064',
  'audio/aac': 'fff15080',
  'audio/mp4': '00000018667479704d344120',
  'video/quicktime': '00000014667479707174202000000000',
  'video/webm': '1a45dfa39f428681',
};

const types = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
  'audio/wav',
  'video/mp4',
  'image/tiff',
  'image/heic',
  'image/heif',
  'audio/mpeg',
  'audio/aac',
  'audio/mp4',
  'video/quicktime',
  'video/webm',
] as const;

function base64Of(type: keyof typeof heads): string {
  return Buffer.from(heads[type], 'hex').toString('base64');
}

describe('the media type of a file', () => {
  it.each(types)('is detected from its bytes if the client names none: %s', (type) => {
    const base64 = base64Of(type);
    for (const said of ['', '*/*', 'null', 'image', 'png', 'application/octet-stream', 'Binary/Octet-Stream'])
      expect(resolveMediaType(said, base64)).toBe(type);
  });

  it.each(['image/jpg', 'IMAGE/JPEG', ' image/pjpeg ', 'image/png', 'image/*', 'image/jpeg;q=1', 'text/plain'])(
    'is JPEG for a JPEG image, declared as %s',
    (said) => {
      expect(resolveMediaType(said, base64Of('image/jpeg'))).toBe('image/jpeg');
    },
  );

  it('uses the client’s media type if the bytes are unknown', () => {
    expect(resolveMediaType('image/jpg', 'AAAA')).toBe('image/jpeg');
    expect(resolveMediaType('image/svg+xml', 'AAAA')).toBe('image/svg+xml');
    expect(resolveMediaType('application/octet-stream', 'AAAA')).toBe('application/octet-stream');
    expect(resolveMediaType('', 'AAAA')).toBe('application/octet-stream');
  });

  it.each(['a,b\n1,2', '# Überschrift', '{"a":1}'])('is text for bytes that are text: %j', (text) => {
    const base64 = Buffer.from(text).toString('base64');
    for (const said of ['', 'application/octet-stream']) expect(resolveMediaType(said, base64)).toBe('text/plain');
    expect(resolveMediaType('text/csv', base64)).toBe('text/csv');
  });

  it('keeps the parameters of other types', () => {
    expect(resolveMediaType('audio/pcm;rate=16000', 'AAAA')).toBe('audio/pcm;rate=16000');
    expect(resolveMediaType('Text/Plain', base64Of('application/pdf'))).toBe('text/plain');
  });
});
