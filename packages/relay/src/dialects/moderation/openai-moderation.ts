import { requireTextOrList } from '../../exchange/check-request-fields.ts';
import type { Dialect } from '../../model/dialect.ts';
import { estimatePrompt } from '../../tokens/estimate-prompt-tokens.ts';
import { setModel } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { readOpenaiUsage } from '../openai/openai-usage.ts';

/** OpenAI's `/v1/moderations`. It has no output; OpenAI reports no usage, some compatible servers do. */
export const openaiModeration: Dialect = {
  id: 'openai-moderation',
  operation: 'moderation',
  // https://platform.openai.com/docs/api-reference/moderations/create
  defaultModel: 'omni-moderation-latest',
  readFacts(body) {
    requireTextOrList(body, 'input');
    // Images in the input have the form of a message's parts.
    const inputTokensEstimate = estimatePrompt({ messages: [{ content: body['input'] }] }, '');
    return { hasTools: false, maxOutputTokens: 0, choices: 1, inputTokensEstimate };
  },
  prepare: setModel,
  readNonStreaming: (answer) => ({ usage: readOpenaiUsage(answer['usage']), content: [], binaries: [] }),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};
