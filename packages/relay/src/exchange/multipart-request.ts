/** Conversion of a form to the equivalent JSON object, and of its changes to bytes. */
import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject, objectOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { type Form, type FormPart, formBoundary, readFormParts } from '../wire/multipart.ts';

/** Maximum bytes of a text; no prompt is longer. */
const TEXT_MAX_BYTES = 1_048_576;
const SHOWN_CHARACTERS = 100;
const LIST_SUFFIX = '[]';
const otherCharset = /charset\s*=\s*"?(?!utf-?8\b|us-ascii\b)/i;

/** @throws InvalidRequestError */
export function readForm(body: Buffer, contentType: string): Form {
  const boundary = formBoundary(contentType);
  if (boundary === undefined)
    throw new InvalidRequestError(
      `The content type "${contentType.slice(0, SHOWN_CHARACTERS)}" has no valid boundary. Omit the header, so that your HTTP library sets it.`,
    );
  return { boundary, parts: readFormParts(body, boundary) };
}

/**
 * Reads texts as texts, except fields that are numbers or booleans in JSON; files as their size, type and name; list
 * fields as lists. @throws InvalidRequestError for a repeated field
 */
export function readFormFields(body: Buffer, { parts }: Form): JsonObject {
  const fields = new Map<string, unknown>();
  for (const part of parts) {
    const value = part.filename === undefined ? textIn(body, part) : fileIn(part);
    const key = keyOf(part);
    const known = fields.get(key);
    if (known === undefined) fields.set(key, isListed(part) ? [value] : parseTypedField(key, value));
    else if (Array.isArray(known) && isListed(part)) known.push(value);
    // Clients may repeat a file's name; a text may occur only once, since parsers disagree on which one counts.
    else if (isObject(value) && !isListed(part)) fields.set(key, [known].flat().concat(value));
    else throw new InvalidRequestError(`${key} is given more than once. Send it once.`, key);
  }
  return Object.fromEntries(fields);
}

/** Returns the bytes of the first file with this name. */
export function getFileBytes(body: Buffer, form: Form, name: string): Buffer | undefined {
  const part = form.parts.find((part) => part.filename !== undefined && keyOf(part) === name);
  return part && body.subarray(part.contentStart, part.contentEnd);
}

/**
 * Edits the client's bytes; only changed texts are replaced.
 * @param before parsed fields of the form
 * @param after fields of the result, compared by identity
 */
export function editForm(body: Buffer, form: Form, before: JsonObject, after: JsonObject): Buffer {
  if (before === after) return body;
  const changed = new Set(Object.keys({ ...before, ...after }).filter((key) => before[key] !== after[key]));
  if (changed.size === 0) return body;
  const written = [...changed].filter((key) => after[key] !== undefined);
  const pieces: Buffer[] = written.map((key) => Buffer.from(textPart(form.boundary, key, after[key])));
  let copied = 0;
  for (const part of form.parts) {
    if (!changed.has(keyOf(part))) continue;
    pieces.push(body.subarray(copied, part.start));
    copied = part.contentEnd + 2;
  }
  return Buffer.concat([...pieces, body.subarray(copied)]);
}

function textPart(boundary: string, name: string, value: unknown): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}\r\n`;
}

function keyOf({ name }: FormPart): string {
  return name.endsWith(LIST_SUFFIX) ? name.slice(0, -LIST_SUFFIX.length) : name;
}

function isListed({ name }: FormPart): boolean {
  return name.endsWith(LIST_SUFFIX);
}

function textIn(body: Buffer, { name, contentType, contentStart, contentEnd }: FormPart): string {
  const bytes = body.subarray(contentStart, contentEnd);
  if (bytes.length > TEXT_MAX_BYTES)
    throw new InvalidRequestError(`${name} is longer than ${TEXT_MAX_BYTES} bytes.`, name);
  if (!isUtf8(bytes) || otherCharset.test(contentType))
    throw new InvalidRequestError(`${name} is not valid UTF-8.`, name);
  return bytes.toString('utf8');
}

function fileIn({ filename, contentType, contentStart, contentEnd }: FormPart): JsonObject {
  return { filename, content_type: contentType, bytes: contentEnd - contentStart };
}

const numeric = new Set(['n', 'partial_images']);
const plainNumber = /^\d{1,6}$/;

function parseTypedField(key: string, value: unknown): unknown {
  if (key === 'stream' && (value === 'true' || value === 'false')) return value === 'true';
  // Python clients write these values, and Python frameworks accept them.
  if (key === 'stream' && (value === 'True' || value === 'False')) return value === 'True';
  return numeric.has(key) && typeof value === 'string' && plainNumber.test(value) ? Number(value) : value;
}

/** Returns the sizes in bytes of one or several files under one name. */
export function readFileSizes(value: unknown): number[] {
  return [value].flat().flatMap((file) => {
    const { bytes } = objectOf(file);
    return typeof bytes === 'number' ? [bytes] : [];
  });
}

/**
 * Returns the bytes that identify equal requests: all except the boundary, which clients choose randomly for each
 * request.
 */
export function getFingerprintBytes({ body, form }: Pick<ClientRequest, 'body' | 'form'>): (string | Buffer)[] {
  if (form === undefined) return [body];
  return form.parts.flatMap(({ name, filename, contentType, contentStart, contentEnd }) => [
    JSON.stringify([name, filename, contentType]),
    body.subarray(contentStart, contentEnd),
  ]);
}
