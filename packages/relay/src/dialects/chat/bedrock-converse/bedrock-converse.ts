import { listOf } from '../../../json/json.ts';
import { type UpstreamDialect, wholeAnswer } from '../../../model/format.ts';
import { createStreamDecoder, decodeAnswer } from './decode-answer.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Bedrock's `Converse` and `ConverseStream`, one body for the models of all who are there. No client speaks it.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const bedrockConverse: UpstreamDialect = {
  id: 'bedrock-converse',
  operation: 'chat',
  readWhole: (answer, lost) => wholeAnswer(decodeAnswer(answer, lost)),
  chat: {
    encodeRequest,
    createStreamDecoder,
    systemAsUser({ system, ...body }) {
      if (system === undefined) return body;
      return { ...body, messages: [{ role: 'user', content: system }, ...listOf(body['messages'])] };
    },
  },
};
