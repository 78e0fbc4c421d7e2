import type { Dialect } from '../../model/dialect.ts';
import { setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError } from '../openai/openai-errors.ts';

/**
 * OpenAI's `/v1/realtime`: events in both directions over a WebSocket, read by `SessionMeter`. The query, which has
 * the model, is read like a body. https://platform.openai.com/docs/api-reference/realtime
 */
export const openaiRealtime: Dialect = {
  id: 'openai-realtime',
  operation: 'realtime',
  readFacts: () => ({ hasTools: false, stream: true, maxOutputTokens: undefined, choices: 1 }),
  prepare: setModel,
  readNonStreaming: () => ({ usage: undefined, content: [], binaries: [] }),
  encodeError: encodeOpenaiError,
  encodeStreamError: (error) => `{"type":"error",${encodeOpenaiError(error).slice(1)}`,
};
