import { type JsonObject, textOf } from '../../../../json/json.ts';
import type { ErrorDetail } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import { buildOpenaiError } from '../../../openai/openai-errors.ts';
import { createResponseObject } from '../response-object-and-items.ts';

/**
 * Sequence number of an error event. The earlier numbers are unknown here, and clients expect an increasing number, so
 * this is the largest that fits in 32 bits.
 */
const LAST_NUMBER = 2_147_483_647;

/**
 * Encodes a stream error. The API reference has code, message and param in the event itself, the vendor's actual
 * events in an inner object; clients read one or the other. Codex reads only the failed response after it, which ends
 * the stream.
 */
export function encodeResponsesStreamError(detail: ErrorDetail): string {
  const error = buildOpenaiError(detail);
  const { code, message, param } = error;
  const event = { type: 'error', sequence_number: LAST_NUMBER - 1, code, message, param, error };
  const failed = {
    type: 'response.failed',
    sequence_number: LAST_NUMBER,
    response: createFailedResponse(textOf(code) ?? 'server_error', message),
  };
  return `event: error\ndata: ${JSON.stringify(event)}\n\nevent: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
}

/**
 * Returns a response with every member that typed clients require; the request and the earlier output are unknown
 * here.
 */
function createFailedResponse(code: string, message: unknown): JsonObject {
  return {
    ...createResponseObject({}),
    id: createId('resp_'),
    created_at: Math.floor(Date.now() / 1000),
    model: '',
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    output: [],
    usage: null,
  };
}
