/** Parsers of the video options in client requests. */
import { InvalidRequest } from '../../model/invalid-request.ts';
import type { VideoRequest } from '../../model/task-types.ts';

const plainNumber = /^\d{1,4}(?:\.\d{1,6})?$/;
const sizeText = /^(\d{2,4})x(\d{2,4})$/;

/** Undefined for what is neither a number nor written as one. */
export function parseLength(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && plainNumber.test(value) ? Number(value) : undefined;
}

/** Undefined for what is no `1280x720`. */
export function parseSize(value: unknown): VideoRequest['size'] {
  const [, width, height] = (typeof value === 'string' ? sizeText.exec(value) : null) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** @throws InvalidRequest */
export function requireSize(value: unknown): NonNullable<VideoRequest['size']> {
  const size = parseSize(value);
  if (size !== undefined) return size;
  throw new InvalidRequest('size must be WIDTHxHEIGHT in pixels, such as 1280x720.', 'size');
}
