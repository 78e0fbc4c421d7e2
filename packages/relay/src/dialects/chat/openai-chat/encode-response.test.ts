import { describe, expect, it } from 'vitest';
import type { ResponseEvent } from '../../../model/conversation.ts';
import type { ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { createStreamEncoder, encodeResponse } from './encode-response.ts';

const request = sampleRequest('openai-chat');

function choiceOf(...events: ResponseEvent[]): { choice: unknown; lost: string[] } {
  const lost = new Set<string>();
  const answer = JSON.parse(JSON.stringify(encodeResponse(events, request, lost)));
  return { choice: answer.choices[0], lost: [...lost] };
}

function streamed(...events: ResponseEvent[]): string {
  const encoder = createStreamEncoder(request, new Set());
  return events.map((event) => encoder.push(event)).join('');
}

function proven(origin: ReasoningSignature['origin'], value: string): ResponseEvent {
  return { type: 'reasoning-proof', signature: { origin, kind: 'signature', value } };
}

describe('a non-streaming response', () => {
  it('joins fragments of audio, and has no content without text', () => {
    const sound = (data: string): ResponseEvent => ({ type: 'audio', mediaType: 'audio/pcm', data });
    expect(choiceOf(sound('QQ=='), sound('Qg==')).choice).toMatchObject({
      message: { content: null, audio: { data: 'QUI=', transcript: '' } },
    });
  });

  it('has null for missing content, and an empty object for missing arguments', () => {
    expect(choiceOf({ type: 'tool-call', index: 0, callId: 'c', name: 'f' }).choice).toMatchObject({
      message: { content: null, refusal: null, tool_calls: [{ function: { arguments: '{}' } }] },
      logprobs: null,
      finish_reason: 'stop',
    });
  });

  it('reports unsupported finish reasons and calls', () => {
    const call = { tool: 'web-search', callId: 'w', input: 'q' } as const;
    const { choice, lost } = choiceOf({ type: 'vendor-call', call }, { type: 'finish', reason: 'malformed-call' });
    expect(choice).toMatchObject({ finish_reason: 'stop' });
    expect(lost).toEqual(['vendor-call', 'finish.malformed-call']);
  });

  it('writes as many calls as an upstream can send without delay', () => {
    const calls = Array.from({ length: 50_000 }, (_, index): ResponseEvent[] => [
      { type: 'tool-call', index, callId: `c${index}`, name: 'f' },
      { type: 'tool-arguments', index, text: '{}' },
    ]);
    const readCpuMs = startCpuTimer();
    const { choice } = choiceOf(...calls.flat());
    expect(choice).toHaveProperty('message.tool_calls.length', 50_000);
    expect(readCpuMs()).toBeLessThan(5_000);
  });
});

describe('reasoning signatures', () => {
  const call: ResponseEvent = { type: 'tool-call', index: 0, callId: 'c', name: 'f' };

  it('writes Gemini’s signature into the next call and the details', () => {
    const written = streamed(proven('gemini', 'p'), call);
    expect(written).toContain('"signature":"switchyard.gemini.signature.p"');
    expect(written).toContain('"extra_content":{"google":{"thought_signature":"p"}}');
    expect(streamed(proven('gemini', 'p'), { type: 'text', text: 'x' }, call)).not.toContain('extra_content');
    expect(streamed(proven('anthropic-messages', 'p'), call)).not.toContain('extra_content');
  });

  it('writes the signature of a second thought with its text', () => {
    const { choice } = choiceOf(
      { type: 'reasoning', text: 'one' },
      proven('openai-chat', 's1'),
      { type: 'reasoning', text: 'two' },
      proven('openai-chat', 's2'),
    );
    expect(choice).toMatchObject({
      message: {
        reasoning_content: 'onetwo',
        reasoning_details: [{ signature: 's1' }, { text: 'two', signature: 's2' }],
      },
    });
  });
});
