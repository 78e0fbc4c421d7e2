import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleRequest } from '../testing/sample-requests.ts';
import { conversationKey } from './conversation-key.ts';

const user = (content: unknown) => ({ role: 'user', content });

describe('a conversation key', () => {
  const opening = [{ role: 'system', content: 'Be brief.' }, user('Hello')];
  const of = (body: Record<string, unknown>) => conversationKey(sampleRequest('openai-chat', body));

  it('derives the key of a Gemini conversation from its system instruction and first question', () => {
    const first = { parts: [{ text: 'Hello' }] };
    const named = (body: Record<string, unknown>) => conversationKey(sampleRequest('gemini', body));
    const short = named({ contents: [first], systemInstruction: 'a' });
    expect(named({ contents: [first, { role: 'model', parts: [] }], systemInstruction: 'a' })).toBe(short);
    expect(named({ contents: [first], systemInstruction: 'b' })).not.toBe(short);
    expect(named({ contents: [{ parts: [{ text: 'Bye' }] }], systemInstruction: 'a' })).not.toBe(short);
  });

  it('stays the same while the conversation grows', () => {
    const longer = [...opening, { role: 'assistant', content: 'Hi' }, user('More')];
    expect(of({ messages: longer })).toBe(of({ messages: opening }));
  });

  it('depends on the system prompt and the first message', () => {
    expect(of({ messages: [{ role: 'system', content: 'Be long.' }, user('Hello')] })).not.toBe(
      of({ messages: opening }),
    );
    expect(of({ messages: [opening[0], user('Goodbye')] })).not.toBe(of({ messages: opening }));
  });

  it('depends on the length of texts with the same start', () => {
    const long = (length: number) => [{ role: 'system', content: 'x'.repeat(length) }, user('Hello')];
    expect(of({ messages: long(100_000) })).not.toBe(of({ messages: long(100_001) }));
    expect(of({ messages: long(100_000) })?.length).toBeLessThan(2_000);
  });

  it.each<[string, unknown]>([
    ['a list', Array.from({ length: 300_000 }, () => 1)],
    ['nested lists', Array.from({ length: 300 }, () => Array.from({ length: 1_000 }, () => ''))],
    [
      'fields',
      Array.from({ length: 19 }, () => Object.fromEntries(Array.from({ length: 9_999 }, (_, n) => [`name-${n}`, n]))),
    ],
  ])('reads only the first of hundreds of thousands of values in %s', (_name, content) => {
    const request = sampleRequest('openai-chat', { messages: [{ role: 'system', content }, user('Hello')] });
    const readCpuMs = startCpuTimer();
    expect(conversationKey(request)?.length).toBeLessThan(100_000);
    expect(readCpuMs()).toBeLessThan(30);
  });

  it('uses the client’s own name for the conversation, with any content', () => {
    const named = { prompt_cache_key: 'session-7' };
    expect(of({ ...named, messages: [user('a')] })).toBe(of({ ...named, messages: [user('b')] }));
    expect(of({ metadata: { user_id: 'u' }, messages: [user('a')] })).toBe(
      of({ metadata: { user_id: 'u' }, messages: [user('b')] }),
    );
  });

  it('derives the key of a Responses conversation from its instructions and first message', () => {
    const of = (body: Record<string, unknown>) => conversationKey(sampleRequest('openai-responses', body));
    const first = of({ instructions: 'Be brief.', input: [user('Hello')] });
    expect(of({ instructions: 'Be brief.', input: [user('Hello'), { type: 'reasoning' }, user('More')] })).toBe(first);
    expect(of({ instructions: 'Be long.', input: [user('Hello')] })).not.toBe(first);
    expect(of({ instructions: 'Be brief.', input: [user('Goodbye')] })).not.toBe(first);
    expect(of({ input: 'a' })).not.toBe(of({ input: 'b' }));
  });

  it('returns no conversation key for an embedding', () => {
    expect(conversationKey(sampleRequest('openai-embeddings', { input: 'x' }))).toBeUndefined();
  });
});
