/** Media types of files in requests, from their first bytes. */

import { isUtf8 } from 'node:buffer';

/** Standard names for media types that vendors refuse under these names. */
const sameAs: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

/** Media types of arbitrary files. */
const anyBytes: ReadonlySet<string> = new Set([
  'application/x-octet-stream',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
]);
/** Number of bytes that `detectMediaType` needs. */
export const SIGNATURE_BYTES = 16;
/** Texts at their offsets in a file, as Latin-1; the first match counts. https://en.wikipedia.org/wiki/List_of_file_signatures */
const signatures: readonly (readonly [type: string, ...parts: (readonly [at: number, text: string])[]])[] = [
  ['image/png', [0, '\x89PNG\r\n\x1a\n']],
  ['image/jpeg', [0, '\xff\xd8\xff']],
  ['image/gif', [0, 'GIF8']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['image/bmp', [0, 'BM']],
  ['image/tiff', [0, 'II*\0']],
  ['image/tiff', [0, 'MM\0*']],
  ['image/heic', [4, 'ftyphei']],
  ['image/heif', [4, 'ftypmif1']],
  ['image/avif', [4, 'ftypavi']],
  ['application/pdf', [0, '%PDF-']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['video/x-msvideo', [0, 'RIFF'], [8, 'AVI ']],
  ['audio/mp4', [4, 'ftypM4A']],
  ['video/quicktime', [4, 'ftypqt']],
  ['video/mp4', [4, 'ftyp']],
  ['video/webm', [0, '\x1a\x45\xdf\xa3']],
  ['audio/ogg', [0, 'OggS']],
  ['audio/flac', [0, 'fLaC']],
  ['audio/mpeg', [0, 'ID3']],
];

/**
 * Returns the media type of a file in a request. The first bytes determine it for images, because vendors refuse a
 * JPEG declared as PNG, and for files without a declared type; otherwise it is the client's type in its standard
 * spelling.
 * @param said media type named by the client
 */
export function resolveMediaType(said: string, base64: string): string {
  const [first = '', ...parameters] = said.split(';');
  const type = first.trim().toLowerCase();
  const usual = Object.hasOwn(sameAs, type) ? (sameAs[type] ?? type) : type;
  if (isUninformative(usual))
    return signatureType(base64) ?? textType(base64) ?? (usual.includes('/') ? usual : 'application/octet-stream');
  if (!/^(image|text)\//.test(usual)) return [usual, ...parameters].join(';');
  const found = signatureType(base64);
  if (found?.startsWith('image/') === true) return found;
  return usual.startsWith('image/') ? usual : [usual, ...parameters].join(';');
}

/** Returns whether the type says nothing: clients without a type write `null`, a bare `image`, or a pattern. */
function isUninformative(type: string): boolean {
  return anyBytes.has(type) || !type.includes('/') || type.includes('*');
}

/** Detects text, which has no signature, but no zero bytes either. */
function textType(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : undefined;
}

function signatureType(base64: string): string | undefined {
  return detectMediaType(Buffer.from(base64.slice(0, 2 * SIGNATURE_BYTES), 'base64'));
}

/** Returns the media type of a file by its first bytes; undefined for one without a known signature. */
export function detectMediaType(bytes: Buffer): string | undefined {
  const found = signatures.find(([, ...parts]) =>
    parts.every(([at, text]) => bytes.toString('latin1', at, at + text.length) === text),
  );
  return found?.[0] ?? audioFrame(bytes);
}

/** Detects MPEG audio without a tag, which starts with the sync bits of a frame. */
function audioFrame([first = 0, second = 0]: Buffer): string | undefined {
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  if ((second & 0xf6) === 0xf0) return 'audio/aac';
  return (second & 0x06) === 0 ? undefined : 'audio/mpeg';
}
