import type { Dialect } from '../format.ts';
import { requireTextOrList } from '../request-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from './openai-errors.ts';
import { findOpenaiUsage } from './openai-usage.ts';

/** OpenAI's `/v1/embeddings`. Input tokens only; the vectors are not content that a model wrote. */
export const openaiEmbeddings: Dialect = {
  id: 'openai-embeddings',
  operation: 'embeddings',
  readFacts(body) {
    requireTextOrList(body, 'input');
    return { hasTools: false, maxOutputTokens: 0, choices: 1 };
  },
  prepare: (body) => body,
  readWhole: (answer) => ({ usage: findOpenaiUsage(answer), content: [] }),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};
