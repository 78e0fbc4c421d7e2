import { listOf, objectOf } from '../../../json/json.ts';
import { type Dialect, wholeAnswer } from '../../../model/format.ts';
import { readChoices, readTokenCap, requireList } from '../../../translate/request-fields.ts';
import { withModelAndStream } from '../../openai/model-and-stream.ts';
import { encodeOpenaiError, encodeOpenaiStreamError } from '../../openai/openai-errors.ts';
import { contentOf } from '../openai-content.ts';
import { askForUsage, openaiTap } from '../openai-usage-extractor.ts';
import { createStreamEncoder } from './chunk-encoder.ts';
import { createStreamDecoder, decodeAnswer } from './decode-answer.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeAnswer } from './encode-answer.ts';
import { encodeRequest } from './encode-request.ts';

/** `text`: with Mistral, content is a list of parts. `input`: of custom tools. `transcript`: what is heard. */
const texts = [
  'content',
  'reasoning_content',
  'reasoning',
  'refusal',
  'arguments',
  'input',
  'transcript',
  'text',
];
/** Sound lies in `data`, as does reasoning that only its vendor can read; pictures in `url` or `b64_json`. */
const tap = openaiTap(texts, ['data', 'url', 'b64_json']);

/** OpenAI's `/v1/chat/completions`, and the same as spoken by most other vendors. */
export const openaiChat: Dialect = {
  id: 'openai-chat',
  operation: 'chat',
  readFacts(body) {
    requireList(body, 'messages');
    const caps = [readTokenCap(body, 'max_completion_tokens'), readTokenCap(body, 'max_tokens')];
    return {
      hasTools: listOf(body['tools']).length > 0 || listOf(body['functions']).length > 0,
      maxOutputTokens: caps[0] ?? caps[1],
      choices: readChoices(body, 'n'),
    };
  },
  prepare: (body, ask) => askForUsage(withModelAndStream(body, ask)),
  tap,
  readWhole: (answer, lost) => ({
    ...wholeAnswer(decodeAnswer(answer, lost)),
    ...contentOf(answer['choices'], tap.watch),
  }),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeOpenaiStreamError,
  chat: {
    holdsChoices: true,
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeAnswer,
    createStreamEncoder,
    systemAsUser: (body) => ({ ...body, messages: listOf(body['messages']).map(asUserMessage) }),
  },
};

function asUserMessage(message: unknown): unknown {
  const { role } = objectOf(message);
  return role === 'system' || role === 'developer' ? { ...objectOf(message), role: 'user' } : message;
}
