import type { Dialect } from '../format.ts';
import { objectOf } from '../json.ts';
import { requireTextOrList } from '../request-fields.ts';
import { asAsked } from './as-asked.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from './openai-errors.ts';
import { readOpenaiUsage } from './openai-usage.ts';

/** OpenAI's `/v1/embeddings`. Input tokens only; the vectors are not content that a model wrote. */
export const openaiEmbeddings: Dialect = {
  id: 'openai-embeddings',
  operation: 'embeddings',
  readFacts(body) {
    requireTextOrList(body, 'input');
    return { hasTools: false, maxOutputTokens: 0, choices: 1 };
  },
  prepare: asAsked,
  readWhole(answer) {
    const usage = objectOf(answer['usage']);
    // Voyage reports the total alone, which is the prompt where nothing is written.
    const prompt = usage['prompt_tokens'] ?? usage['total_tokens'];
    return { usage: readOpenaiUsage({ ...usage, prompt_tokens: prompt }), content: [], binaries: [] };
  },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};
