/** What a file is, whatever a client says that it is. */
import { isUtf8 } from 'node:buffer';

/** A file begins with these bytes, from the offset on. */
interface Signature {
  mediaType: string;
  /** In Latin-1. */
  bytes: string;
  offset?: number;
}

const signatures: readonly Signature[] = [
  { mediaType: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { mediaType: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { mediaType: 'image/gif', bytes: 'GIF8' },
  { mediaType: 'image/webp', bytes: 'WEBP', offset: 8 },
  { mediaType: 'image/bmp', bytes: 'BM' },
  { mediaType: 'image/tiff', bytes: 'II*\0' },
  { mediaType: 'image/tiff', bytes: 'MM\0*' },
  { mediaType: 'image/heic', bytes: 'ftypheic', offset: 4 },
  { mediaType: 'image/heic', bytes: 'ftypheix', offset: 4 },
  { mediaType: 'image/heif', bytes: 'ftypmif1', offset: 4 },
  { mediaType: 'image/avif', bytes: 'ftypavif', offset: 4 },
  { mediaType: 'application/pdf', bytes: '%PDF-' },
  { mediaType: 'audio/wav', bytes: 'WAVE', offset: 8 },
  { mediaType: 'audio/mpeg', bytes: 'ID3' },
  { mediaType: 'audio/mpeg', bytes: '\xff\xfb' },
  { mediaType: 'audio/aac', bytes: '\xff\xf1' },
  { mediaType: 'audio/mp4', bytes: 'ftypM4A', offset: 4 },
  { mediaType: 'audio/flac', bytes: 'fLaC' },
  { mediaType: 'audio/ogg', bytes: 'OggS' },
  { mediaType: 'video/quicktime', bytes: 'ftypqt', offset: 4 },
  { mediaType: 'video/mp4', bytes: 'ftyp', offset: 4 },
  { mediaType: 'video/webm', bytes: '\x1aE\xdf\xa3' },
];

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

/** Says nothing of what the bytes are. */
const nothingSaid: ReadonlySet<string> = new Set([
  '',
  '*/*',
  'application/x-octet-stream',
  'application/octet-stream',
  'binary/octet-stream',
  'application/binary',
  'image/*',
]);

const HEAD_CHARACTERS = 32;

/**
 * The type of a file in a request: as its first bytes say where it claims to be a picture or nothing at all (vendors
 * refuse a JPEG that is called PNG), else as the client says, in the usual spelling.
 * @param said by the client
 */
export function mediaTypeOf(said: string, base64: string): string {
  const [first = '', ...parameters] = said.split(';');
  const type = first.trim().toLowerCase();
  const usual = Object.hasOwn(sameAs, type) ? (sameAs[type] ?? type) : type;
  if (nothingSaid.has(usual))
    return typeOfBytes(base64) ?? textType(base64) ?? (usual || 'application/octet-stream');
  if (!usual.startsWith('image/')) return [usual, ...parameters].join(';');
  const found = typeOfBytes(base64);
  return found?.startsWith('image/') === true ? found : usual;
}

/** Text has no signature, but no zero bytes either. */
function textType(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : undefined;
}

function typeOfBytes(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64').toString('latin1');
  return signatures.find(({ bytes, offset = 0 }) => head.startsWith(bytes, offset))?.mediaType;
}
