import { expect, test } from 'vitest';
import { readRequest } from '../exchange/read-request.ts';
import type { RequestRoute } from '../model/client-request.ts';
import { changeTexts, hasTokenNumbers } from './change-texts.ts';

const routes = {
  chat: { operation: 'chat', format: 'openai-chat' },
  messages: { operation: 'chat', format: 'anthropic-messages' },
  responses: { operation: 'chat', format: 'openai-responses' },
  gemini: { operation: 'chat', format: 'gemini', model: 'm', stream: false },
  completions: { operation: 'completions', format: 'openai-completions' },
  embeddings: { operation: 'embeddings', format: 'openai-embeddings' },
  images: { operation: 'images', format: 'openai-images' },
  speech: { operation: 'speech', format: 'openai-speech' },
  rerank: { operation: 'rerank', format: 'rerank' },
} as const satisfies Record<string, RequestRoute>;

const read = (dialect: keyof typeof routes, body: object) =>
  readRequest(routes[dialect], Buffer.from(JSON.stringify({ model: 'm', ...body })), {});
/** Marker for a continuation in the next text. */
const EDGE = '\0';
const withoutBombs = (texts: readonly string[]): string[] =>
  texts
    .join(EDGE)
    .replace(/b\0*o\0*m\0*b/g, (found) => found.replaceAll(/[^\0]+/g, '***'))
    .split(EDGE);
const png = `data:image/png;base64,${'bomb'.repeat(4)}`;

const user = (content: unknown): object => ({ messages: [{ role: 'user', content }] });

test.each([
  ['chat', 'a message', user('a bomb')],
  ['chat', 'a part', user([{ type: 'text', text: 'a bomb' }])],
  ['chat', 'instructions', { messages: [{ role: 'system', content: 'bomb' }] }],
  ['chat', 'a tool’s result', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'bomb' }] }],
  [
    'chat',
    'a call’s arguments',
    {
      messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"q":"bomb"}' } }] }],
    },
  ],
  [
    'chat',
    'a tool’s words',
    { ...user('x'), tools: [{ type: 'function', function: { name: 'f', description: 'bomb' } }] },
  ],
  [
    'chat',
    'the names in a schema',
    { ...user('x'), tools: [{ function: { name: 'f', parameters: { properties: { bomb: { type: 'string' } } } } }] },
  ],
  ['chat', 'a role that is a sentence', { messages: [{ role: 'make a bomb', content: 'x' }] }],
  ['chat', 'what only looks like a file', user([{ type: 'text', text: 'data:text/plain;base64,bomb' }])],
  ['chat', 'an address that is none', user([{ type: 'image_url', image_url: { url: 'data:text/plain,a bomb' } }])],
  ['chat', 'an unknown field', { ...user('x'), plan: { deep: ['bomb'] } }],
  ['messages', 'a system text', { max_tokens: 5, system: [{ type: 'text', text: 'bomb' }], ...user('x') }],
  [
    'messages',
    'a tool’s result',
    { max_tokens: 5, ...user([{ type: 'tool_result', tool_use_id: 'i', content: [{ type: 'text', text: 'bomb' }] }]) },
  ],
  [
    'messages',
    'a tool’s input',
    {
      max_tokens: 5,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'f', input: { type: 'bomb', bomb: 1 } }] },
      ],
    },
  ],
  [
    'messages',
    'a document of words',
    {
      max_tokens: 5,
      ...user([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'bomb' } }]),
    },
  ],
  ['responses', 'input', { input: 'bomb' }],
  ['responses', 'instructions', { input: 'x', instructions: 'bomb' }],
  ['responses', 'an output', { input: [{ type: 'function_call_output', call_id: 'c', output: 'bomb' }] }],
  ['gemini', 'a part', { contents: [{ role: 'user', parts: [{ text: 'bomb' }] }] }],
  [
    'gemini',
    'a response',
    { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f', response: { id: 'bomb' } } }] }] },
  ],
  ['completions', 'a prompt', { prompt: ['x', 'bomb'] }],
  ['embeddings', 'a text', { input: 'bomb' }],
  ['images', 'a prompt', { prompt: 'bomb' }],
  ['images', 'a style that is free', { prompt: 'x', style: 'bömb,bomb' }],
  ['chat', 'who the user is', { ...user('x'), user: '炸bomb' }],
  ['speech', 'a text', { input: 'bomb', voice: 'alloy' }],
  ['rerank', 'a document', { query: 'x', documents: ['bomb'] }],
] as const)('reads as text: %s: %s', (dialect, _what, body) => {
  const request = read(dialect, body);
  const changed = changeTexts(request, withoutBombs);
  expect(JSON.stringify(changed.json)).not.toContain('bomb');
  expect(JSON.parse(changed.body.toString())).toEqual(changed.json);
  expect(JSON.stringify(request.json)).toContain('bomb');
});

test.each([
  ['chat', 'a picture', user([{ type: 'image_url', image_url: { url: png } }])],
  ['chat', 'sound', user([{ type: 'input_audio', input_audio: { format: 'wav', data: 'bomb' } }])],
  ['chat', 'an id', { messages: [{ role: 'tool', tool_call_id: 'bomb', content: 'x' }] }],
  [
    'messages',
    'a picture',
    { max_tokens: 5, ...user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'bomb' } }]) },
  ],
  ['messages', 'a proof', { max_tokens: 5, ...user([{ type: 'thinking', thinking: 'x', signature: 'bomb' }]) }],
  ['gemini', 'a picture', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'bomb' } }] }] }],
] as const)('does not read as text: %s: %s', (dialect, _what, body) => {
  const request = read(dialect, body);
  expect(changeTexts(request, withoutBombs)).toBe(request);
});

test.each([
  [
    'chat',
    'a message',
    user([
      { type: 'text', text: 'a bo' },
      { type: 'text', text: 'mb.' },
    ]),
  ],
  [
    'chat',
    'a message with something between that gets lost',
    user([{ type: 'text', text: 'bo' }, { type: 'odd' }, { type: 'text', text: '' }, { type: 'text', text: 'mb' }]),
  ],
  ['messages', 'a system text', { max_tokens: 5, ...user('x'), system: [{ text: 'b' }, { text: 'omb' }] }],
  [
    'messages',
    'a tool’s result',
    { max_tokens: 5, ...user([{ type: 'tool_result', tool_use_id: 'i', content: [{ text: 'bo' }, { text: 'mb' }] }]) },
  ],
  ['responses', 'input', { input: [{ role: 'user', content: [{ text: 'bom' }, { text: 'b' }] }] }],
  ['gemini', 'a turn', { contents: [{ role: 'user', parts: [{ text: 'bo' }, { text: 'mb' }] }] }],
  ['gemini', 'instructions', { contents: [{ parts: [{ text: 'x' }] }], systemInstruction: ['bo', 'mb'] }],
] as const)('reads as one text: %s: the parts of %s', (dialect, _what, body) => {
  const changed = changeTexts(read(dialect, body), withoutBombs);
  const text = JSON.stringify(changed.json);
  expect(text).toContain('***');
  expect(text).not.toMatch(/"[^"]*(?:bo|mb|omb|bom)[^"]*"/);
  expect(JSON.parse(changed.body.toString())).toEqual(changed.json);
});

test.each([
  ['embeddings', { input: ['bo', 'mb'] }],
  ['embeddings', { input: [{ text: 'bo' }, { text: 'mb' }] }],
  ['rerank', { query: 'x', documents: [{ text: 'bo' }, { text: 'mb' }] }],
  ['completions', { prompt: ['bo', 'mb'] }],
] as const)('reads independent texts separately: %s', (dialect, body) => {
  const request = read(dialect, body);
  expect(changeTexts(request, withoutBombs)).toBe(request);
});

test('reads escaped JSON, and keeps objects without text byte for byte', () => {
  const escaped = Buffer.from('{"model":"m","messages":[{"role":"user","content":"b\\u006fmb"}]}');
  const changed = changeTexts(readRequest(routes.chat, escaped, {}), withoutBombs);
  expect(changed.body.toString()).toContain('***');
  const clean = Buffer.from('{"model":"m", "seed":1e3,"messages":[{"role":"user","content":"a b\\u0075n"}]}');
  const request = readRequest(routes.chat, clean, {});
  expect(changeTexts(request, withoutBombs).body).toBe(clean);
});

test('reads the prompt of a form as text, and keeps its file', () => {
  const boundary = 'edge';
  const part = (head: string, value: string): string => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`;
  const body = Buffer.from(
    part('Content-Disposition: form-data; name="model"', 'm') +
      part('Content-Disposition: form-data; name="prompt"', 'a bomb') +
      part('Content-Disposition: form-data; name="image"; filename="bomb.png"\r\nContent-Type: image/png', 'bomb') +
      `--${boundary}--\r\n`,
  );
  const route = { operation: 'images', format: 'openai-image-edits', form: 'also' } as const;
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const changed = changeTexts(readRequest(route, body, headers), withoutBombs);
  expect(changed.json['prompt']).toBe('a ***');
  expect(changed.body.toString().match(/bomb/g)).toHaveLength(2);
  const again = readRequest(route, changed.body, headers);
  expect(again.json).toEqual(changed.json);
});

test('detects prompts of token numbers', () => {
  expect(hasTokenNumbers(read('embeddings', { input: [[1, 2], [3]] }))).toBe(true);
  expect(hasTokenNumbers(read('completions', { prompt: [1, 2] }))).toBe(true);
  expect(hasTokenNumbers(read('embeddings', { input: ['1'] }))).toBe(false);
});
