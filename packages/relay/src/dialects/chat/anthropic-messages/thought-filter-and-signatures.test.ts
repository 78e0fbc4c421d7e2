import { describe, expect, it } from 'vitest';
import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import type { ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../wire/sse.ts';
import { createStreamDecoder } from './decoders/decode-response.ts';
import { encodeResponse } from './encoders/encode-response.ts';
import { createStreamEncoder } from './encoders/event-encoder.ts';

const thought: ResponseEvent = { type: 'reasoning', text: 'hm' };
const text: ResponseEvent = { type: 'text', text: 'Hello' };
const call: ResponseEvent[] = [
  { type: 'tool-call', index: 0, callId: 'call_1', name: 'f' },
  { type: 'tool-arguments', index: 0, text: '{}' },
];

function proofOf(origin: ReasoningSignature['origin'], kind: ReasoningSignature['kind'] = 'signature'): ResponseEvent {
  return { type: 'reasoning-proof', signature: { origin, kind, value: 'sealed' } };
}

/** Types of the blocks of a response; thinking blocks with their signature. */
function blocksOf(events: ResponseEvent[], thinking: JsonObject | undefined, stream: boolean): string[] {
  const request = sampleRequest('anthropic-messages', thinking && { thinking });
  const all: ResponseEvent[] = [
    { type: 'start', id: 'msg_1', model: 'm' },
    ...events,
    { type: 'finish', reason: 'stop' },
  ];
  if (!stream)
    return listOf(encodeResponse(all, request, new Set())['content'])
      .map(objectOf)
      .map(nameOf);
  const encoder = createStreamEncoder(request, new Set());
  const written = all.map((event) => encoder.push(event)).join('') + encoder.end();
  const said = parseSseEvents(Buffer.from(written)).map(({ data }) => objectOf(JSON.parse(data)));
  const blocks: Record<string, unknown>[] = [];
  for (const { type, content_block: block, delta } of said) {
    if (type === 'content_block_start') blocks.push({ ...objectOf(block) });
    const { signature } = objectOf(delta);
    if (signature !== undefined) blocks.push({ ...blocks.pop(), signature });
  }
  return blocks.map(nameOf);
}

function nameOf({ type, signature, data }: JsonObject): string {
  return [textOf(type), textOf(signature) ?? textOf(data)].filter((name) => name !== undefined).join(' ');
}

const asked = { type: 'adaptive' };
const none = 'switchyard.none.signature.';
const sealed = 'switchyard.openai-responses.signature.sealed';
const foreign = proofOf('openai-responses');

describe.each([true, false])('the thoughts of a response (stream: %s)', (stream) => {
  it.each<[string, ResponseEvent[], string[]]>([
    ['a thought', [thought, text], ['text']],
    ['a thought and its proof', [thought, foreign, text], ['text']],
    ['a proof alone', [foreign, text], ['text']],
    ['a hidden thought', [proofOf('openai-chat', 'redacted'), text], ['text']],
    ['a thought before a call', [thought, foreign, ...call], ['tool_use']],
  ])('are removed if the client did not request them: %s', (_name, events, expected) => {
    expect(blocksOf(events, undefined, stream)).toEqual(expected);
    expect(blocksOf(events, { type: 'disabled' }, stream)).toEqual(expected);
  });

  it.each<[string, ResponseEvent[], string[]]>([
    ['a thought', [thought, text], [`thinking ${none}`, 'text']],
    ['a thought and its proof', [thought, foreign, text], [`thinking ${sealed}`, 'text']],
    ['a proof alone', [foreign, text], [`redacted_thinking ${sealed}`, 'text']],
    [
      'a thought that the vendor signed without showing it',
      [proofOf('anthropic-messages'), text],
      ['thinking sealed', 'text'],
    ],
    ['a thought behind the text', [text, thought, foreign], ['text']],
    ['a thought between texts', [text, thought, text], ['text']],
    ['a thought between text and call', [text, thought, foreign, ...call], ['text', `thinking ${sealed}`, 'tool_use']],
  ])('come first and are never empty if the client requested them: %s', (_name, events, expected) => {
    const blocks = blocksOf(events, asked, stream);
    expect(blocks.filter((block, at) => block !== 'text' || blocks[at - 1] !== 'text')).toEqual(expected);
  });
});

describe('an unsigned thought', () => {
  it('has no signature when the client returns it', () => {
    const decoder = createStreamDecoder(new Set());
    const block = { type: 'thinking', thinking: 'hm', signature: none };
    const events = [
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
    ].flatMap((event) => decoder.push(event));
    expect(events.filter(({ type }) => type === 'reasoning-proof')).toEqual([]);
  });
});
