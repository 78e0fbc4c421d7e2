import { replaceSecrets } from '@switchyard/relay';
import type { z } from 'zod';
import { InvalidWebhookError, type WebhookRequest } from './payment-provider.ts';

const MESSAGE_MAX = 200;
/** Maximum characters of a message that are read, with its blanks. */
const READ_MAX = 10 * MESSAGE_MAX;
const OFFSET_MS = 8 * 3600 * 1000;
/** Alipay's notifications have the most, about forty. */
const PARAMETERS_MAX = 200;

/** Shortens a vendor's message to one line that contains no secret, so that it can be shown and stored. */
export function sanitizeVendorMessage(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return replaceSecrets(text, known, '***', READ_MAX)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MESSAGE_MAX);
}

/** Formats the time in China, as both companies use it: `2026-11-22T04:30:00`. @param ms UTC */
export function formatChinaTime(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19);
}

/** Returns the beginning of a text that fits into the bytes of UTF-8, without a partial character. */
export function truncateToBytes(text: string, maxBytes: number): string {
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > maxBytes) break;
    kept += character;
  }
  return kept;
}

/**
 * Reads a vendor's response as JSON of this schema.
 * @throws Error that quotes nothing of the response; the result of the call is unknown then
 */
export async function readJsonResponse<S extends z.ZodType>(answer: Response, schema: S): Promise<z.output<S>> {
  if (!answer.ok) throw new Error(`The payment provider returned status ${answer.status}`);
  return parseJsonText(await answer.text(), schema);
}

/** @throws Error that quotes nothing of the text */
export function parseJsonText<S extends z.ZodType>(text: string, schema: S): z.output<S> {
  const read = schema.safeParse(tryParseJson(text));
  if (!read.success) throw new Error('The payment provider returned a response in an undocumented format');
  return read.data;
}

/** Returns undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the decoded parameters of a form.
 * @throws InvalidWebhookError for a repeated parameter, which would be ambiguous
 */
export function readWebhookParams(form: URLSearchParams): ReadonlyMap<string, string> {
  if (form.size > PARAMETERS_MAX) throw tooMany();
  const params = new Map<string, string>();
  for (const [name, value] of form) {
    if (params.has(name)) throw new InvalidWebhookError('A parameter is given more than once');
    params.set(name, value);
  }
  return params;
}

/**
 * Returns whether a text can be the number of an order or a payment. Within such a number, unescaped signed
 * parameters can't be confused with another parameter.
 */
export function isPlainNumber(text: string): boolean {
  return /^[\w-]{1,64}$/.test(text);
}

const tooMany = (): InvalidWebhookError =>
  new InvalidWebhookError(`The event has more than ${PARAMETERS_MAX} parameters`);

/**
 * @throws InvalidWebhookError unless it is a form in a POST, of the usual length, with few enough parameters to be parsed
 * quickly
 */
export function readPostedForm({ method, body }: WebhookRequest): URLSearchParams {
  if (method !== 'POST') throw new InvalidWebhookError('The request method is not POST');
  const text = body.toString('latin1');
  for (let at = text.indexOf('&'), count = 1; at !== -1; at = text.indexOf('&', at + 1), count += 1)
    if (count >= PARAMETERS_MAX) throw tooMany();
  return new URLSearchParams(body.toString('utf8'));
}
