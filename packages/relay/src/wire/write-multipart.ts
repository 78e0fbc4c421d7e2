/** Encoder of forms with files (RFC 7578). */

import { randomUUID } from 'node:crypto';

export interface FormFile {
  bytes: Buffer;
  filename: string;
  contentType: string;
}

/** Encodes files as separate parts, lists as one part per item, objects as JSON; skips null and undefined. */
export function encodeForm(fields: Readonly<Record<string, unknown>>): { contentType: string; bytes: Buffer } {
  const boundary = `form-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((item) => (item == null ? [] : writePart(boundary, name, item))),
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function writePart(boundary: string, name: string, value: unknown): Buffer[] {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
  if (!isFile(value)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [Buffer.from(`${head}\r\n\r\n${text}\r\n`)];
  }
  const type = value.contentType.replaceAll(/[^\x20-\x7e]/g, '');
  const file = `; filename="${escapeName(value.filename)}"\r\nContent-Type: ${type}\r\n\r\n`;
  return [Buffer.from(head + file), value.bytes, Buffer.from('\r\n')];
}

function isFile(value: unknown): value is FormFile {
  return typeof value === 'object' && value !== null && 'bytes' in value && Buffer.isBuffer(value.bytes);
}

/**
 * Escapes a name like browsers:
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Form with the positions of its parts in the bytes. */
export interface Form {
  boundary: string;
  parts: readonly FormPart[];
}

export interface FormPart {
  name: string;
  /** File name; undefined for a text. */
  filename: string | undefined;
  contentType: string;
  /** Position of the delimiter before the part. */
  start: number;
  contentStart: number;
  /** Position of the line break before the next delimiter. */
  contentEnd: number;
}
