import { listOf } from '../../../json/json.ts';
import { toNonStreamingResponse, type UpstreamDialect } from '../../../model/dialect.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';

/**
 * Bedrock's `Converse` and `ConverseStream`, one body for all vendors' models; upstream only.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const bedrockConverse: UpstreamDialect = {
  id: 'bedrock-converse',
  operation: 'chat',
  readNonStreaming: (answer, lost) => toNonStreamingResponse(decodeResponse(answer, lost)),
  chat: {
    encodeRequest,
    createStreamDecoder,
    systemAsUser({ system, ...body }) {
      if (system === undefined) return body;
      return { ...body, messages: [{ role: 'user', content: system }, ...listOf(body['messages'])] };
    },
  },
};
