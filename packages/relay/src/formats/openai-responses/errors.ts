import type { ErrorDetail } from '../../format.ts';
import { openaiError } from '../openai-errors.ts';

/**
 * What came before is not known here. Clients want a number, and one that grows: the last that fits wherever they
 * keep it.
 */
const LAST_NUMBER = 2_147_483_647;

/**
 * The reference has code, message and param in the event itself, the vendor's own traffic in an object within: clients
 * read one or the other. Nothing follows.
 */
export function encodeResponsesStreamError(detail: ErrorDetail): string {
  const error = openaiError(detail);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: LAST_NUMBER, code, message, param, error };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
