/** Refusals of requests that are translated: each names the place, the value and the remedy, and no prompt. */
import { expect, it } from 'vitest';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const user = { role: 'user', content: 'hi' };
const robot = { role: 'robot', content: 'hi' };
const nameless = { type: 'function', function: {} };
const anthropic = sampleTarget('anthropic');
const named = { type: 'function', function: { name: 'f' } };

it.each([
  [
    'openai-chat',
    { messages: [user, robot] },
    'messages[1]: The role is "robot". Use system, developer, user, assistant, tool or function.',
  ],
  ['openai-chat', { messages: [{ content: 'hi' }] }, 'messages[0]: The role is missing. Use system'],
  ['openai-chat', { messages: [{ role: ['a secret'] }] }, 'messages[0]: The role is an array. Use system'],
  ['openai-chat', { messages: [user, 'a secret'] }, 'messages[1] must be an object, not a string.'],
  ['openai-chat', { tools: [named, nameless] }, 'tools[1] has no name. Add one.'],
  ['openai-chat', { tools: [{ type: 'custom' }] }, 'tools[0] has no name. Add one.'],
  ['openai-chat', { functions: [{}] }, 'functions[0] has no name. Add one.'],
  [
    'openai-responses',
    { input: [user, robot] },
    'input[1]: The role is "robot". Use user, assistant, system or developer.',
  ],
  ['openai-responses', { input: ['a secret'] }, 'input[0] must be an object, not a string.'],
  [
    'openai-responses',
    { tools: [{ type: 'function' }] },
    'tools[0] declares a tool of the type function without a name. Add one.',
  ],
  [
    'openai-responses',
    { input: [{ type: 'additional_tools', tools: [{ type: 'function' }] }] },
    'An item of input declares a tool of the type function without a name. Add one.',
  ],
  ['gemini', { contents: [{ role: 'robot', parts: [] }] }, 'contents[0]: The role is "robot". Use user or model.'],
  ['gemini', { tools: [{ functionDeclarations: [{}] }] }, 'tools[0] declares a function without a name. Add one.'],
] as const)('refuses an invalid request of %s: %j', (format, fields, message) => {
  expect(() => planExchange(sampleRequest(format, fields), sampleTarget('anthropic'))).toThrow(message);
});

const nested = [
  ['openai-chat', 'messages', [{ type: 'image_url', image_url: {} }], 'An image has no url. Add one.'],
  ['openai-chat', 'messages', [{ type: 'input_audio' }], 'An input_audio has no data. Add it.'],
  ['openai-chat', 'messages', [{ type: 'file', file: { file_data: 'data:a' } }], 'A data URL has no comma'],
  ['openai-chat', 'messages', [{ type: 'video_url', video_url: 'data:,%' }], 'A data URL contains an invalid'],
  ['openai-responses', 'input', [{ type: 'input_image' }], 'An image has no image_url. Add one.'],
  ['openai-responses', 'input', [{ type: 'input_file', file_url: 'data:a' }], 'A data URL has no comma'],
] as const;

it.each(nested)('names the message of %s whose part is refused', (format, field, content, message) => {
  const plan = () => planExchange(sampleRequest(format, { [field]: [user, { role: 'user', content }] }), anthropic);
  expect(plan).toThrow(
    expect.objectContaining({ message: expect.stringContaining(`${field}[1]: ${message}`), param: field }),
  );
});

it.each([
  [
    'anthropic-messages',
    { messages: [user, { role: 'assistant', content: [{ type: 'tool_use' }] }] },
    'messages[1]: A tool_use block has no name. Add one.',
  ],
  [
    'anthropic-messages',
    { messages: [{ role: 'user', content: [{ type: 'tool_use', name: 'f' }] }] },
    'messages[0]: Only an assistant message can contain tool_use.',
  ],
  [
    'openai-responses',
    { input: [user, { type: 'function_call', call_id: 'c' }] },
    'input[1]: A function_call has no name. Add one.',
  ],
  [
    'gemini',
    { contents: [{ role: 'model', parts: [{ functionCall: {} }] }] },
    'contents[0]: A functionCall has no name. Add one.',
  ],
  [
    'gemini',
    { contents: [{ parts: [{ functionCall: { name: 'f' } }] }] },
    'contents[0]: Only a model content can contain functionCall.',
  ],
] as const)('names the entry of %s with an invalid call: %j', (format, fields, message) => {
  const provider = format === 'anthropic-messages' ? 'openai' : 'anthropic';
  expect(() => planExchange(sampleRequest(format, fields), sampleTarget(provider))).toThrow(message);
});

it.each([
  [{ messages: [user, robot] }, 'messages[1]: The role is "robot". Use user or assistant.'],
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
