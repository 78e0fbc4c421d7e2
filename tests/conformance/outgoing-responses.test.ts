/** Clients' responses and stream events match the vendors' published types. */
import { isObject } from '@switchyard/relay/json';
import { expect, it } from 'vitest';
import {
  generateRandomResponses,
  listStreamErrors,
  listTranslatedResponses,
  type OutgoingResponse,
} from './outgoing-responses.ts';
import type { Dialect } from './recorded-files.ts';
import { checkTypes } from './type-errors.ts';

/** Names of `published-answers.ts`. */
const types: Readonly<Record<Dialect, { whole: string; event: string }>> = {
  'openai-chat': { whole: 'ChatWhole', event: 'ChatEvent' },
  'openai-responses': { whole: 'ResponsesWhole', event: 'ResponsesEvent' },
  'anthropic-messages': { whole: 'MessagesWhole', event: 'MessagesEvent' },
  gemini: { whole: 'GeminiWhole', event: 'GeminiEvent' },
};

interface Sample {
  name: string;
  type: string;
  value: unknown;
}

/** Returns one value of each shape, because thousands of events differ only in their texts. */
function samplesOf(answers: readonly OutgoingResponse[]): Sample[] {
  const samples = new Map<string, Sample>();
  for (const { name, client, isStream, payloads } of answers) {
    const type = types[client][isStream ? 'event' : 'whole'];
    for (const payload of payloads) {
      const value: unknown = JSON.parse(payload);
      const key = `${type} ${JSON.stringify(shapeOf(value, ''))}`;
      if (!samples.has(key)) samples.set(key, { name: `${client}, ${name}`, type, value });
    }
  }
  return [...samples.values()];
}

/** Fields whose texts the types enumerate. */
const enumerated = /type|role|object|status|reason|tier|effort|outcome|language|code$/i;

function shapeOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOf(item, name))))];
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member, key)]));
  if (typeof value === 'string') return enumerated.test(name) ? value : 'text';
  return value === null ? null : typeof value;
}

/** Returns the type errors of the samples, each with its sample. */
function complaintsAbout(samples: readonly Sample[]): string[] {
  const names = [...new Set(samples.map(({ type }) => type))];
  const source = [
    `import type { ${names.join(', ')} } from '#tests/conformance/published-answers.ts';`,
    ...samples.map(({ type, value }, index) => `export const s${index}: ${type} = ${JSON.stringify(value)};`),
  ];
  return checkTypes(source.join('\n')).map(
    ({ line, text }) => `${samples[line - 2]?.name}: ${text}\n${source[line - 1]}`,
  );
}

it.each([
  ['translated answers', listTranslatedResponses],
  ['random answers', generateRandomResponses],
  ['errors within streams', listStreamErrors],
])('%s have the types that the vendors publish', (_, answers) => {
  const samples = samplesOf(answers());
  expect(samples.length).toBeGreaterThan(40);
  expect(complaintsAbout(samples).slice(0, 10)).toEqual([]);
});

const delta = { index: 0, delta: { content: 'hi' }, finish_reason: null };
const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [delta] };
const position = { item_id: 'i', output_index: 0, content_index: 0, sequence_number: 1 };
const piece = { type: 'response.output_text.delta', ...position, delta: 'hi', logprobs: [] };
const block = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } };
const candidate = { index: 0, content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' };
const { item_id: _item, ...withoutItem } = piece;
const { index: _index, ...withoutIndex } = block;

const wrong: readonly Sample[] = [
  { name: 'a missing member', type: 'ResponsesEvent', value: withoutItem },
  { name: 'a missing index', type: 'MessagesEvent', value: withoutIndex },
  { name: 'a number as text', type: 'ChatEvent', value: { ...chunk, created: '1' } },
  {
    name: 'an unknown finish reason',
    type: 'ChatEvent',
    value: { ...chunk, choices: [{ ...delta, finish_reason: 'end' }] },
  },
  { name: 'an unknown member', type: 'ChatEvent', value: { ...chunk, choices: [{ ...delta, finishReason: null }] } },
  { name: 'an unknown event', type: 'ResponsesEvent', value: { ...piece, type: 'response.text.delta' } },
  { name: 'a delta of another type', type: 'MessagesEvent', value: { ...block, delta: { type: 'text', text: 'hi' } } },
  {
    name: 'a reason of another dialect',
    type: 'GeminiEvent',
    value: { candidates: [{ ...candidate, finishReason: 'stop' }] },
  },
];
const right: readonly Sample[] = [
  { name: 'of Chat', type: 'ChatEvent', value: chunk },
  { name: 'of Responses', type: 'ResponsesEvent', value: piece },
  { name: 'of Messages', type: 'MessagesEvent', value: block },
  { name: 'of Gemini', type: 'GeminiEvent', value: { candidates: [candidate] } },
];

it('finds errors in an invalid event, and none in others', () => {
  const found = complaintsAbout([...right, ...wrong]).map((said) => said.slice(0, said.indexOf(':')));
  expect(new Set(found)).toEqual(new Set(wrong.map(({ name }) => name)));
});
