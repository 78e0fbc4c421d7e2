/** Checks that several dialects share on the fields that decide how much a request may cost. */

import type { JsonObject } from '../json/json.ts';
import { InvalidRequest } from '../model/invalid-request.ts';
import { CHOICES_MAX } from './response-choices.ts';

/** No vendor writes more in one answer; a larger cap is a mistake or an attack on the hold's arithmetic. */
const OUTPUT_TOKENS_MAX = 10_000_000;

export function readTokenCap(body: JsonObject, field: string): number | undefined {
  return readInteger(body, field, 0, OUTPUT_TOKENS_MAX);
}

export function readChoices(body: JsonObject, field: string): number {
  return readInteger(body, field, 1, CHOICES_MAX) ?? 1;
}

export function readInteger(body: JsonObject, field: string, min: number, max: number): number | undefined {
  const value = body[field] ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw new InvalidRequest(`${field} must be an integer between ${min} and ${max}.`, field);
  return value;
}

export function requireText(body: JsonObject, field: string): string {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequest(`Missing required parameter: ${field}.`, field);
  if (typeof value !== 'string') throw new InvalidRequest(`${field} must be a string.`, field);
  return value;
}

export function requireList(body: JsonObject, field: string): void {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequest(`Missing required parameter: ${field}.`, field);
  if (!Array.isArray(value)) throw new InvalidRequest(`${field} must be an array.`, field);
  if (value.length === 0) throw new InvalidRequest(`${field} must not be empty.`, field);
}

export function requireTextOrList(body: JsonObject, field: string): void {
  const value = body[field] ?? undefined;
  if (value === undefined) throw new InvalidRequest(`Missing required parameter: ${field}.`, field);
  if (typeof value !== 'string' && !Array.isArray(value)) {
    throw new InvalidRequest(`${field} must be a string or an array.`, field);
  }
}
