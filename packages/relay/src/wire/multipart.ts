/**
 * Parser of forms with files (RFC 7578), which finds parts in the bytes and never copies them. It is stricter than
 * the standards: parsers tolerate different errors, and the upstream must serve what is priced here. Node's own
 * parser (`Response.formData`) copies every file and doesn't report its position.
 */

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { InvalidRequestError } from '../model/invalid-request-error.ts';

/** Maximum parts; no documented form has more than sixteen images and a few lists of words. */
const PARTS_MAX = 100;
const HEADER_MAX_BYTES = 4_096;
/** Maximum bytes after the last delimiter: a line break, and what some clients add. */
const REST_MAX_BYTES = 64;
const CRLF = '\r\n';

const boundaryOf = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"\\]{1,70}))\s*(?:;.*)?$/i;
const allowedBoundary = /^[\w'()+,./:=?-]+$/;

/** Returns undefined if the header has no valid boundary. */
export function formBoundary(contentType: string): string | undefined {
  const match = boundaryOf.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  const isSaidOnce = contentType.toLowerCase().split('boundary=').length === 2;
  return boundary !== undefined && isSaidOnce && allowedBoundary.test(boundary) ? boundary : undefined;
}

/** @throws InvalidRequestError */
export function readFormParts(body: Buffer, boundary: string): FormPart[] {
  const delimiter = `--${boundary}`;
  const parts: FormPart[] = [];
  let start = 0;
  if (!startsWith(body, delimiter, 0)) throw broken('does not begin with its boundary');
  for (;;) {
    const afterDelimiter = start + delimiter.length;
    if (startsWith(body, '--', afterDelimiter)) {
      const rest = body.subarray(afterDelimiter + 2);
      if (rest.length > REST_MAX_BYTES || rest.toString('latin1').trim() !== '')
        throw broken('continues after its closing boundary');
      return parts;
    }
    if (!startsWith(body, CRLF, afterDelimiter)) throw broken('has a boundary inside a part');
    if (parts.length === PARTS_MAX) throw broken(`has more than ${PARTS_MAX} parts`);
    const next = body.indexOf(delimiter, afterDelimiter);
    if (next === -1) throw broken('has no closing boundary');
    if (!startsWith(body, CRLF, next - 2)) throw broken('has a boundary inside a part');
    parts.push(readPart(body, start, afterDelimiter + 2, next - 2));
    start = next;
  }
}

/** @param end end of the content */
function readPart(body: Buffer, start: number, headerStart: number, end: number): FormPart {
  const headerEnd = body.indexOf(CRLF + CRLF, headerStart);
  if (headerEnd === -1 || headerEnd + 4 > end) throw broken('has a part without headers');
  if (headerEnd - headerStart > HEADER_MAX_BYTES) throw broken('has a part with headers that are too long');
  return {
    ...readPartHeader(body.subarray(headerStart, headerEnd)),
    start,
    contentStart: headerEnd + 4,
    contentEnd: end,
  };
}

export type PartHeader = Pick<FormPart, 'name' | 'filename' | 'contentType'>;

/** Reads a part's header without the empty line after it. @throws InvalidRequestError */
export function readPartHeader(header: Buffer): PartHeader {
  if (!isUtf8(header)) throw broken('has a part whose headers are not UTF-8');
  const { disposition, contentType } = readHeaders(header.toString('utf8'));
  return { ...readDisposition(disposition), contentType };
}

const headerLine = /^([\w-]+):([^\r\n\0]*)$/;
const plainEncodings = /^(binary|8bit|7bit)$/i;

function readHeaders(text: string): { disposition: string; contentType: string } {
  const headers = new Map<string, string>();
  for (const line of text.split(CRLF)) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === '' || headers.has(key)) throw broken('has a part with an invalid header');
    headers.set(key, value.trim());
  }
  if (!plainEncodings.test(headers.get('content-transfer-encoding') ?? 'binary'))
    throw broken('has a part with an unsupported transfer encoding');
  return { disposition: headers.get('content-disposition') ?? '', contentType: headers.get('content-type') ?? '' };
}

const parameter = /;\s*([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))\s*/gy;
const plainName = /^[\w.-]{1,64}(\[\w{0,64}\])?$/;

function readDisposition(value: string): { name: string; filename: string | undefined } {
  const [type = ''] = /^form-data\s*/i.exec(value) ?? [];
  const said = new Map<string, string>();
  parameter.lastIndex = type.length;
  let read = type.length;
  for (let match = parameter.exec(value); match !== null; match = parameter.exec(value)) {
    const [whole, name = '', quoted, token = ''] = match;
    if (said.has(name.toLowerCase())) break;
    said.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? token);
    read += whole.length;
  }
  const name = said.get('name') ?? '';
  if (type === '' || read !== value.length || said.has('name*') || !plainName.test(name))
    throw broken('has a part without a valid name');
  return { name, filename: said.get('filename') ?? said.get('filename*') };
}

function startsWith(body: Buffer, text: string, at: number): boolean {
  return at >= 0 && body.toString('latin1', at, at + text.length) === text;
}

function broken(what: string): InvalidRequestError {
  return new InvalidRequestError(`The form ${what}.`);
}

export interface FormFile {
  bytes: Buffer;
  filename: string;
  contentType: string;
}

/** Encodes a form (RFC 7578): files as separate parts, lists as one part per item, objects as JSON; skips null and undefined. */
export function encodeForm(fields: Readonly<Record<string, unknown>>): {
  bytes: Buffer;
  headers: Record<string, string>;
} {
  const boundary = `form-${randomUUID()}`;
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((item) => (item == null ? [] : writePart(boundary, name, item))),
  );
  return {
    bytes: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
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
