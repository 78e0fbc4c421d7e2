/** A response without usage is charged for the vendor's own words, each once, and not for what a search found. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { EventScanner } from '../../wire/sse-event-scan.ts';
import { gemini } from './gemini/gemini.ts';
import { openaiChat } from './openai-chat/openai-chat.ts';
import { openaiCompletions } from './openai-completions.ts';

const found = 'a page that the search found '.repeat(20);
const thought = 'thinking';

const deltas: readonly (readonly [what: string, delta: JsonObject, counted: string])[] = [
  ['text', { content: 'answer' }, 'answer'],
  ['reasoning and its details', { reasoning: thought, reasoning_details: [{ type: 'x', text: thought }] }, thought],
  ['details before reasoning', { reasoning_details: [{ text: thought }], reasoning: thought }, thought],
  ['reasoning under two names', { content: '', reasoning: thought, reasoning_content: thought }, thought],
  ['reasoning around an empty text', { reasoning: thought, content: '', reasoning_content: thought }, thought],
  ['reasoning that continues as text', { reasoning: 'think', content: 'thinking' }, 'thinkthinking'],
  ['escaped reasoning', { reasoning: '"\n中', reasoning_content: '"\n中' }, '"\n中'],
  [
    'a copy of the vendor’s fields',
    { content: 'x', provider_specific_fields: { reasoning_content: thought, nested: [{ content: found }] } },
    'x',
  ],
  [
    'citations',
    { content: 'x', annotations: [{ type: 'url_citation', url_citation: { content: found, text: '}"]' } }] },
    'x',
  ],
  ['searches', { content: 'x', executed_tools: [{ search_results: { results: [{ content: found }] } }] }, 'x'],
  ['text after citations', { annotations: [{ text: found }, {}], content: 'after' }, 'after'],
  ['citations that are absent', { annotations: null, content: 'x' }, 'x'],
  ['a call', { tool_calls: [{ function: { name: 'f', arguments: '{"text":"x"}' } }] }, '{"text":"x"}'],
];

const characters = (text: string): number => Array.from(text).length;

describe('a chat without usage', () => {
  it.each(deltas)('counts %s in a stream', (_what, delta, counted) => {
    expect(countStream(openaiChat, { choices: [{ index: 0, delta }] })).toBe(characters(counted));
  });

  it.each(deltas.filter(([what]) => what !== 'a call'))('counts %s in a whole response', (_what, message, counted) => {
    const answer = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
    const { content } = openaiChat.readNonStreaming(answer, new Set(), {});
    expect(content.join('')).toBe(counted);
  });

  it('counts equal choices each', () => {
    const choices = ['a', 'b'].map((_, index) => ({ index, message: { content: 'same' }, finish_reason: 'stop' }));
    expect(openaiChat.readNonStreaming({ choices }, new Set(), {}).content).toEqual(['same', 'same']);
    const streamed = choices.map(({ index, message }) => ({ index, delta: message }));
    expect(countStream(openaiChat, { choices: streamed })).toBe('samesame'.length);
    expect(countStream(openaiCompletions, { choices: [{ text: 'same' }, { text: 'same' }] })).toBe('samesame'.length);
  });
});

it('Gemini’s grounding is not counted', () => {
  const candidate = {
    content: { parts: [{ text: 'x' }] },
    groundingMetadata: { groundingSupports: [{ segment: { text: found } }] },
    citationMetadata: { citationSources: [{ text: found }] },
  };
  expect(countStream(gemini, { candidates: [candidate] })).toBe(1);
});

function countStream({ usageExtractor }: Pick<typeof openaiChat, 'usageExtractor'>, event: JsonObject): number {
  if (usageExtractor === undefined) throw new Error('The dialect has no streams');
  const scanner = new EventScanner(usageExtractor.watch);
  const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
  scanner.scan(Buffer.concat([bytes, bytes]), () => true);
  return scanner.characters / 2;
}
