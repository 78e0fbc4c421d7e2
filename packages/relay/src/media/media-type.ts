/** Media types of files in requests, read from their first bytes. */
import { isUtf8 } from 'node:buffer';
import { detectMediaType, SIGNATURE_BYTES } from './file-signature.ts';

/** Names that no vendor takes, for types that all of them do. */
const sameAs: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

/** Types of files that may be anything. */
const anyBytes: ReadonlySet<string> = new Set([
  'application/x-octet-stream',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
]);

/**
 * Returns the media type of a file in a request. The first bytes decide for pictures, because vendors refuse a JPEG that
 * is called PNG, and where the client names no type; else it is the client's, in the usual spelling.
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

/** Clients write `null`, a bare `image`, or a pattern where they know no type. */
function isUninformative(type: string): boolean {
  return anyBytes.has(type) || !type.includes('/') || type.includes('*');
}

/** Text has no signature, but no zero bytes either. */
function textType(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : undefined;
}

function signatureType(base64: string): string | undefined {
  return detectMediaType(Buffer.from(base64.slice(0, 2 * SIGNATURE_BYTES), 'base64'));
}
