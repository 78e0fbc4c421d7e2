import { readChoices, readTokenCap, requireList } from '../../../exchange/check-request-fields.ts';
import { listOf, objectOf } from '../../../json/json.ts';
import type { Dialect } from '../../../model/dialect.ts';
import { setModelAndStream } from '../../../translate/pick-fields.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../../openai/openai-errors.ts';
import { collectContent } from '../openai-content-audio-logprobs.ts';
import { createOpenaiUsageExtractor, requestUsage } from '../openai-usage-extractor.ts';
import { decodeRequest } from './decode-request.ts';
import { createStreamDecoder, decodeWithUsage } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';
import { createStreamEncoder, encodeResponse } from './encode-response.ts';

/** Keys of text. `text`: Mistral's content parts. `input`: custom tools. `transcript`: audio. */
const texts = ['content', 'reasoning_content', 'reasoning', 'refusal', 'arguments', 'input', 'transcript', 'text'];
/** Audio and encrypted reasoning are in `data`; images are in `url` or `b64_json`. */
const usageExtractor = createOpenaiUsageExtractor(texts, ['data', 'url', 'b64_json'], ['image_url', 'b64_json']);

/** OpenAI's `/v1/chat/completions`, which most other vendors also support. */
export const openaiChat: Dialect = {
  id: 'openai-chat',
  operation: 'chat',
  readFacts(body) {
    requireList(body, 'messages');
    const caps = ['max_completion_tokens', 'max_tokens'].flatMap((field) => readTokenCap(body, field) ?? []);
    return {
      hasTools: listOf(body['tools']).length > 0 || listOf(body['functions']).length > 0,
      // A vendor may know only one of them.
      maxOutputTokens: caps.length === 0 ? undefined : Math.max(...caps),
      choices: readChoices(body, 'n'),
    };
  },
  prepare: (body, ask) => requestUsage(setModelAndStream(body, ask)),
  usageExtractor,
  readNonStreaming(answer, lost) {
    const { events, usage } = decodeWithUsage(answer, lost);
    const { content, binaries, images } = collectContent(answer['choices'], usageExtractor.watch);
    const names = events.flatMap((event) => (event.type === 'tool-call' ? [event.name] : []));
    return { usage, content: [...content, ...names], binaries, images, events };
  },
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
  chat: {
    supportsChoices: true,
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeResponse,
    createStreamEncoder,
    systemAsUser: (body) => ({ ...body, messages: listOf(body['messages']).map(asUserMessage) }),
  },
};

function asUserMessage(message: unknown): unknown {
  const { role } = objectOf(message);
  return role === 'system' || role === 'developer' ? { ...objectOf(message), role: 'user' } : message;
}
