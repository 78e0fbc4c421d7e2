import { readChoices, readTokenCap, requireTextOrList } from '../../exchange/check-request-fields.ts';
import { listOf } from '../../json/json.ts';
import type { Dialect } from '../../model/dialect.ts';
import { setModelAndStream } from '../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../openai/openai-errors.ts';
import { findOpenaiUsage } from '../openai/openai-usage.ts';
import { collectContent } from './openai-content-audio-logprobs.ts';
import { createOpenaiUsageExtractor, requestUsage } from './openai-usage-extractor.ts';

const usageExtractor = createOpenaiUsageExtractor(['text'], []);

/** OpenAI's legacy `/v1/completions`. */
export const openaiCompletions: Dialect = {
  id: 'openai-completions',
  operation: 'completions',
  readFacts(body) {
    requireTextOrList(body, 'prompt');
    const prompts = listOf(body['prompt']);
    // Each prompt in a list of strings gets its own response; a list of numbers is one tokenized prompt.
    const promptCount = typeof prompts[0] === 'number' ? 1 : Math.max(1, prompts.length);
    return {
      hasTools: false,
      maxOutputTokens: readTokenCap(body, 'max_tokens'),
      choices: Math.max(readChoices(body, 'n'), readChoices(body, 'best_of')) * promptCount,
    };
  },
  prepare: (body, ask) => requestUsage(setModelAndStream(body, ask)),
  usageExtractor,
  readNonStreaming: (answer) => ({
    usage: findOpenaiUsage(answer),
    ...collectContent(answer['choices'], usageExtractor.watch),
  }),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
};
