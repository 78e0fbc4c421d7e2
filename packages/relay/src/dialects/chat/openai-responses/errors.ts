import { type JsonObject, textOf } from '../../../json/json.ts';
import type { ErrorDetail } from '../../../model/format.ts';
import { newId } from '../../../model/new-id.ts';
import { openaiError } from '../../openai/openai-errors.ts';
import { responseObject } from './response-object.ts';

/**
 * Sequence number of an error event. The earlier numbers are unknown here, and clients expect an increasing number, so
 * this is the largest that fits in 32 bits.
 */
const LAST_NUMBER = 2_147_483_647;

/**
 * The reference has code, message and param in the event itself, the vendor's own traffic in an object within: clients
 * read one or the other. Codex reads only the failed response that follows it. Nothing follows that.
 */
export function encodeResponsesStreamError(detail: ErrorDetail): string {
  const error = openaiError(detail);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: LAST_NUMBER - 1, code, message, param, error };
  const failed = {
    type: 'response.failed',
    sequence_number: LAST_NUMBER,
    response: failedResponse(textOf(code) ?? 'server_error', message),
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\nevent: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
}

/** Returns a response with every member that typed clients require; what was asked and said before is not known here. */
function failedResponse(code: string, message: unknown): JsonObject {
  return {
    ...responseObject({}),
    id: newId('resp_'),
    created_at: Math.floor(Date.now() / 1000),
    model: '',
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
    usage: null,
  };
}
