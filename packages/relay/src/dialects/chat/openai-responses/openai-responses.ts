import { type JsonObject, objectOf } from '../../../json/json.ts';
import { type Dialect, type StreamTap, wholeAnswer } from '../../../model/format.ts';
import type { Usage } from '../../../model/usage.ts';
import { readTokenCap, requireTextOrList } from '../../../translate/request-fields.ts';
import { withModelAndStream } from '../../openai/model-and-stream.ts';
import { encodeOpenaiError } from '../../openai/openai-errors.ts';
import { callKindOf, callKinds } from './call-kinds.ts';
import { declaredTools, hasClientTools, isNamed } from './client-tools.ts';
import { createStreamDecoder, decodeAnswer } from './decoders/decode-answer.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { encodeAnswer } from './encoders/encode-answer.ts';
import { encodeRequest } from './encoders/encode-request.ts';
import { createStreamEncoder } from './encoders/event-encoder.ts';
import { encodeResponsesStreamError } from './errors.ts';
import { readImageTool } from './image-tool.ts';
import { isEnd } from './response-status.ts';
import { keptElsewhere } from './stored-context.ts';
import { systemAsUser } from './system-as-user.ts';
import { UsageReport } from './usage-report.ts';

const PARTIAL_IMAGE = 'response.image_generation_call.partial_image';

/**
 * OpenAI's `/v1/responses`, as most vendors and local servers offer it by now.
 * https://platform.openai.com/docs/api-reference/responses
 */
export const openaiResponses: Dialect = {
  id: 'openai-responses',
  operation: 'chat',
  readFacts(body) {
    if (keptElsewhere.every((field) => body[field] == null)) requireTextOrList(body, 'input');
    const tools = declaredTools(body);
    return {
      hasTools: tools.length > 0,
      maxOutputTokens: readTokenCap(body, 'max_output_tokens'),
      choices: 1,
      imageTool: readImageTool(tools, body['max_tool_calls']),
    };
  },
  prepare: withModelAndStream,
  hasClientTools,
  tap: {
    watch: {
      // What is written comes in deltas; the same again, whole, under other names.
      content: ['delta'],
      binary: ['result'],
      notable: [],
      notableValues: [
        ['type', 'response.output_item.done'],
        ['type', PARTIAL_IMAGE],
        ['type', 'response.completed'],
        ['type', 'response.incomplete'],
        ['type', 'response.failed'],
      ],
    },
    endsWithDone: false,
    create: () => new ResponsesTap(),
  },
  readWhole: (answer, lost) => wholeAnswer(decodeAnswer(answer, lost)),
  encodeError: encodeOpenaiError,
  encodeStreamError: encodeResponsesStreamError,
  chat: {
    decodeRequest,
    encodeRequest,
    createStreamDecoder,
    encodeAnswer,
    createStreamEncoder,
    systemAsUser,
    encodeTokenCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
};

class ResponsesTap implements StreamTap {
  finished = false;
  characters = 0;
  readonly #report = new UsageReport();

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  note(event: JsonObject): boolean {
    if (event['type'] === 'response.output_item.done') {
      const item = objectOf(event['item']);
      this.#report.addItem(item);
      this.characters += lengthOfCall(item);
    }
    if (event['type'] === PARTIAL_IMAGE) this.#report.addPartialImage(event);
    if (isEnd(event['type'])) {
      this.#report.addResponse(objectOf(event['response']));
      this.finished = true;
    }
    return true;
  }
}

/** Returns the length of a call that comes whole; other calls are counted by their deltas. */
function lengthOfCall(item: JsonObject): number {
  const kind = callKindOf(item);
  const comesWhole = kind !== undefined && !isNamed(kind) && kind !== 'shell';
  return comesWhole ? callKinds[kind].argumentsOf(item).length : 0;
}
