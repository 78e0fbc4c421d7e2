import { describe, expect, it } from 'vitest';
import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import type { ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { createStreamEncoder, encodeResponse } from './encoders/encode-response.ts';

const thought: ResponseEvent = { type: 'reasoning', text: 'hm' };
const text: ResponseEvent = { type: 'text', text: 'Hello' };
const call: ResponseEvent[] = [
  { type: 'tool-call', index: 0, callId: 'call_1', name: 'f' },
  { type: 'tool-arguments', index: 0, text: '{}' },
];

function proofOf(origin: ReasoningSignature['origin'], kind: ReasoningSignature['kind'] = 'signature'): ResponseEvent {
  return { type: 'reasoning-proof', signature: { origin, kind, value: 'c2VhbGVk' } };
}

/** Types of the parts of a response; a star marks a signature. */
function partsOf(events: ResponseEvent[], fields: JsonObject, stream: boolean): string[] {
  const request = sampleRequest('gemini', fields);
  const all: ResponseEvent[] = [{ type: 'start', id: 'r', model: 'm' }, ...events, { type: 'finish', reason: 'stop' }];
  if (!stream) return namesIn(encodeResponse(all, request));
  const encoder = createStreamEncoder(request);
  const written = all.map((event) => encoder.push(event)).join('') + encoder.end();
  return written
    .split('\r\n\r\n')
    .filter((event) => event !== '')
    .flatMap((event) => namesIn(objectOf(JSON.parse(event.replace(/^data: /, '')))));
}

function namesIn(answer: JsonObject): string[] {
  const [candidate] = listOf(answer['candidates']);
  return listOf(objectOf(objectOf(candidate)['content'])['parts'])
    .map(objectOf)
    .map(nameOf);
}

function nameOf({ thought, functionCall, thoughtSignature }: JsonObject): string {
  const kind = functionCall === undefined ? 'text' : 'call';
  return `${thought === true ? 'thought' : kind}${thoughtSignature === undefined ? '' : '*'}`;
}

const silent: JsonObject[] = [
  {},
  { generationConfig: { thinkingConfig: { thinkingBudget: 1000 } } },
  { generationConfig: { thinkingConfig: { includeThoughts: false, thinkingLevel: 'HIGH' } } },
];
const asking: JsonObject[] = [
  { generationConfig: { thinkingConfig: { includeThoughts: true } } },
  { generation_config: { thinking_config: { include_thoughts: true, thinking_budget: 1000 } } },
];

describe.each([true, false])('the thoughts of a response (stream: %s)', (stream) => {
  it.each<[string, ResponseEvent[], string[]]>([
    ['a thought', [thought, text], ['text']],
    ['a thought and its signature', [thought, proofOf('anthropic-messages'), text], ['text']],
    ['an encrypted thought', [thought, proofOf('openai-responses'), text], ['text']],
    ['a redacted thought', [proofOf('openai-chat', 'redacted'), text], ['text']],
    ['a thought behind the text', [text, thought], ['text']],
    ['a signature of Google at the text', [thought, proofOf('gemini'), text], ['text*']],
    ['a signature of Google at a call', [thought, proofOf('gemini'), ...call], ['call*']],
    ['a thought before a call', [thought, ...call], ['call']],
    ['a signed thought before a call', [thought, proofOf('anthropic-messages'), ...call], ['call']],
    ['an encrypted thought before a call', [thought, proofOf('openai-responses'), ...call], ['thought*', 'call']],
    ['a redacted thought before a call', [proofOf('anthropic-messages', 'redacted'), ...call], ['thought*', 'call']],
  ])('lose their texts if the client did not request them: %s', (_name, events, expected) => {
    for (const fields of silent) expect(partsOf(events, fields, stream)).toEqual(expected);
  });

  it.each<[string, ResponseEvent[], string[]]>([
    ['a thought', [thought, text], ['thought', 'text']],
    ['a signature of Google', [thought, proofOf('gemini'), text], ['thought', 'text*']],
    ['a thought before a call', [thought, ...call], ['thought', 'call']],
  ])('keep their texts if the client requested them: %s', (_name, events, expected) => {
    for (const fields of asking) expect(partsOf(events, fields, stream)).toEqual(expected);
  });
});
