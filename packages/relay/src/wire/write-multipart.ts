/** Writes forms with files (RFC 7578). */

import { randomUUID } from 'node:crypto';

export interface FormFile {
  bytes: Buffer;
  filename: string;
  contentType: string;
}

/** Files as parts of their own, lists as one part for each item, objects as JSON; nothing for null and undefined. */
export function encodeForm(fields: Readonly<Record<string, unknown>>): {
  contentType: string;
  bytes: Buffer;
} {
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
 * Escapes a name like browsers do:
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** A form that has been found in its bytes. */
export interface Form {
  boundary: string;
  parts: readonly FormPart[];
}

export interface FormPart {
  name: string;
  /** Name of a file; undefined for a text. */
  filename: string | undefined;
  contentType: string;
  /** Position of the delimiter before the part. */
  start: number;
  contentStart: number;
  /** Position of the line break before the next delimiter. */
  contentEnd: number;
}
