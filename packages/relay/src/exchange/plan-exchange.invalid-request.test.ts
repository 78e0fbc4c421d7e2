/** Refusals of requests that are translated: each names the place, the value and the remedy, and no prompt. */
import { expect, it } from 'vitest';
import { sampleRequest, sampleTarget } from '../testing/samples.ts';
import { planExchange } from './plan-exchange.ts';

const user = { role: 'user', content: 'hi' };
const robot = { role: 'robot', content: 'hi' };
const nameless = { type: 'function', function: {} };
const named = { type: 'function', function: { name: 'f' } };

it.each([
  [
    'openai-chat',
    { messages: [user, robot] },
    'messages[1].role is "robot". Use system, developer, user, assistant, tool or function.',
  ],
  ['openai-chat', { messages: [{ content: 'hi' }] }, 'messages[0].role is missing. Use system'],
  ['openai-chat', { messages: [{ role: ['a secret'] }] }, 'messages[0].role is an array. Use system'],
  ['openai-chat', { messages: [user, 'a secret'] }, 'messages[1] must be an object, not a string.'],
  ['openai-chat', { tools: [named, nameless] }, 'tools[1] has no name. Add one.'],
  ['openai-chat', { tools: [{ type: 'custom' }] }, 'tools[0] has no name. Add one.'],
  ['openai-chat', { functions: [{}] }, 'functions[0] has no name. Add one.'],
  [
    'openai-responses',
    { input: [user, robot] },
    'The role of a message in input is "robot". Use user, assistant, system or developer.',
  ],
  ['openai-responses', { input: ['a secret'] }, 'Each item of input must be an object, not a string.'],
  ['openai-responses', { tools: [{ type: 'function' }] }, 'A tool of the type function has no name. Add one.'],
  ['gemini', { contents: [{ role: 'robot', parts: [] }] }, 'contents[0].role is "robot". Use user or model.'],
  ['gemini', { tools: [{ functionDeclarations: [{}] }] }, 'A function declaration has no name. Add one.'],
] as const)('refuses an invalid request of %s: %j', (format, fields, message) => {
  expect(() => planExchange(sampleRequest(format, fields), sampleTarget('anthropic'))).toThrow(message);
});

it.each([
  [{ messages: [user, robot] }, 'messages[1].role is "robot". Use user or assistant.'],
  [{ messages: [user, 'a secret'] }, 'messages[1] must be an object, not a string.'],
  [{ tools: [{ name: 'f', input_schema: {} }, { input_schema: {} }] }, 'tools[1] has no name. Add one.'],
])('refuses an invalid request of anthropic-messages: %j', (fields, message) => {
  expect(() => planExchange(sampleRequest('anthropic-messages', fields), sampleTarget('openai'))).toThrow(message);
});

it.each([
  ['openai-images', 'stability', { n: 3 }, 'n is 3, but this model generates one image per request. Set n to 1.'],
  ['openai-images', 'bfl', { n: 2 }, 'n is 2, but this model generates one image per request. Set n to 1.'],
  [
    'openai-speech',
    'deepgram',
    { response_format: 'ogg' },
    'This model does not support the format "ogg". Use one of mp3, opus, aac, flac, wav, pcm.',
  ],
  [
    'openai-embeddings',
    'anthropic',
    {},
    'The provider of this model (Anthropic) does not support embeddings. Choose another model.',
  ],
] as const)('refuses %s that %s does not support: %j', (format, provider, fields, message) => {
  expect(() => planExchange(sampleRequest(format, fields), sampleTarget(provider))).toThrow(message);
});

it.each(['azure', 'bedrock', 'bfl'])('refuses the model name ".." in a path of %s', (provider) => {
  const format = provider === 'bfl' ? 'openai-images' : 'openai-chat';
  const target = sampleTarget(provider, { model: '..' });
  expect(() => planExchange(sampleRequest(format), target)).toThrow('The model name is empty, "." or ".."');
});
