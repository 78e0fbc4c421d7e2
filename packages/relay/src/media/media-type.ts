/** Media types of files in requests, from their first bytes. */
import { isUtf8 } from 'node:buffer';
import { detectMediaType, SIGNATURE_BYTES } from './file-signature.ts';

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
