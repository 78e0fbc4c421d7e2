/**
 * Encrypted file with a plain first line of JSON. The content is sealed in chunks, so that it can be streamed at any
 * length. Each chunk is sealed with its index, whether it is the last, and the first line: truncated, moved,
 * duplicated, changed or foreign chunks do not open.
 */
import { createCipheriv, createDecipheriv, createHash, type KeyObject } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

const CHUNK_BYTES = 1_048_576;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_MAX_BYTES = 65_536;

/** The file is damaged, truncated, or not authentic. */
export class FileDamagedError extends Error {
  constructor(file: string, cause?: unknown) {
    super(`${file} is damaged, incomplete or not authentic. Use another one.`, { cause });
  }
}

/**
 * @param head first line without its line break
 * @param key used for this file alone, because the nonces of every file are the same
 */
export async function* encryptStream(
  head: string,
  key: KeyObject,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const first = Buffer.from(`${head}\n`);
  if (first.length > HEAD_MAX_BYTES) throw new Error('The first line is too long');
  yield first;
  const name = sha256(first);
  let nth = 0;
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes <= CHUNK_BYTES) continue;
    // With more than one chunk of data, the chunk that is cut off here is not the last.
    let rest = Buffer.concat(waiting);
    for (; rest.length > CHUNK_BYTES; nth += 1) {
      yield encryptChunk(key, name, nth, false, rest.subarray(0, CHUNK_BYTES));
      rest = rest.subarray(CHUNK_BYTES);
    }
    waiting = [rest];
    bytes = rest.length;
  }
  yield encryptChunk(key, name, nth, true, Buffer.concat(waiting));
}

/** Returns the first line of such a file; undefined if the file has none. */
export async function readHead(file: string): Promise<string | undefined> {
  const start = await withOpenFile(file, 'r', (handle) => readAt(handle, 0, HEAD_MAX_BYTES));
  const end = start.indexOf('\n');
  return end === -1 ? undefined : start.toString('utf8', 0, end);
}

/** Yields the authenticated content. @throws FileDamagedError at the first invalid chunk */
export async function* decryptStream(file: string, head: string, key: KeyObject): AsyncGenerator<Buffer> {
  const first = Buffer.from(`${head}\n`);
  const name = sha256(first);
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    let position = first.length;
    let isLast = false;
    for (let nth = 0; !isLast; nth += 1) {
      const sealed = await readAt(handle, position, CHUNK_BYTES + TAG_BYTES);
      position += sealed.length;
      isLast = position >= size;
      const content = decryptChunk(key, name, nth, isLast, sealed);
      if (content instanceof Error) throw new FileDamagedError(file, content);
      yield content;
    }
  } finally {
    await handle.close();
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

function buildNonce(nth: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUInt8(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(nth), NONCE_BYTES - 8);
  return nonce;
}

function encryptChunk(key: KeyObject, name: Buffer, nth: number, isLast: boolean, content: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, buildNonce(nth, isLast)).setAAD(name);
  return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** @returns the reason if the chunk is not authentic */
function decryptChunk(key: KeyObject, name: Buffer, nth: number, isLast: boolean, sealed: Buffer): Buffer | Error {
  if (sealed.length < TAG_BYTES) return new Error('The chunk is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, buildNonce(nth, isLast), { authTagLength: TAG_BYTES })
    .setAAD(name)
    .setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  try {
    const content = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES));
    return Buffer.concat([content, decipher.final()]);
  } catch (error) {
    return new Error('The chunk is not authentic', { cause: error });
  }
}

/** Runs work with an open file and closes it in any case. A new file is readable by its owner only. */
export async function withOpenFile<T>(
  file: string,
  flags: 'r' | 'r+' | 'wx',
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await open(file, flags, 0o600);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}
