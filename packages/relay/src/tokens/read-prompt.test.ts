import { describe, expect, it } from 'vitest';
import type { DialectId } from '../model/dialect-id.ts';
import { rawRequest, sampleRequest } from '../testing/sample-requests.ts';

const words = 'lorem ipsum '.repeat(3_000);
const names = Array.from({ length: 10 }, (_, at) => `${'lorem ipsum '.repeat(300)}${at}`);
const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(64_000), format: 'mp3' } };
const base64 = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(1_000_000) };

function estimate(fields: Record<string, unknown>): number {
  return sampleRequest('openai-chat', fields).facts.inputTokensEstimate;
}

function ofMessage(message: Record<string, unknown>): number {
  return estimate({ messages: [{ role: 'user', ...message }] });
}

const ofPart = (part: unknown): number => ofMessage({ content: [part] });

describe('the prompt', () => {
  it.each<[string, Record<string, unknown>]>([
    ['the body', { type: 'input_audio', input_audio: 1, messages: [{ role: 'user', content: words }] }],
    ['a message', { messages: [{ role: 'user', content: words, type: 'input_audio', input_audio: 1 }] }],
    ['a message with a picture', { messages: [{ role: 'user', type: 'image', source: base64, content: words }] }],
    ['a text part', { messages: [{ role: 'user', content: [{ type: 'text', text: words, image_url: 'x' }] }] }],
    [
      'the text beside a picture',
      { messages: [{ role: 'user', content: [{ type: 'image', source: base64, text: words }] }] },
    ],
    [
      'a picture’s address',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: words } }] }] },
    ],
    [
      'what stands beside an address',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', text: words } }] }] },
    ],
    [
      'a picture of plain text',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'text', data: words } }] }] },
    ],
    [
      'a file’s name',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { filename: words, file_id: 'f' } }] }] },
    ],
    [
      'a document of words',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'text', data: words } }] }] },
    ],
    [
      'a document in parts',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'document', source: { type: 'content', content: [{ type: 'text', text: words }] } }],
          },
        ],
      },
    ],
    [
      'a tool’s result',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: words }] }] }] },
    ],
    [
      'a tool call’s input',
      {
        messages: [
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', input: { content: [{ type: 'image', source: { ...base64, data: words } }] } },
            ],
          },
        ],
      },
    ],
    ['an unknown part', { messages: [{ role: 'user', content: [{ type: 'hologram', data: words }] }] }],
    ['a part without a type', { messages: [{ role: 'user', content: [{ input_text: words }] }] }],
    ['a part that is a string', { messages: [{ role: 'user', content: [words] }] }],
    ['system', { system: [{ type: 'image', source: { ...base64, data: words } }] }],
    ['a tool’s schema', { tools: [{ type: 'image', image: { type: 'base64', data: words } }] }],
    ['the names of fields', { tools: [{ properties: Object.fromEntries(names.map((name) => [name, {}])) }] }],
  ])('includes the text in %s', (_, fields) => {
    expect(estimate(fields)).toBeGreaterThan(words.length / 4);
  });

  it('excludes a payload wherever a message may have one', () => {
    expect(ofPart({ type: 'image', source: base64 })).toBeLessThan(1_100);
    expect(ofPart({ type: 'image_url', image_url: `data:image/png;base64,${base64.data}` })).toBeLessThan(1_100);
    const result = { type: 'tool_result', content: [{ type: 'image', source: base64 }] };
    expect(ofPart(result)).toBeLessThan(1_100);
    const pieces = { type: 'content', content: [{ type: 'image', source: base64 }] };
    expect(ofPart({ type: 'document', source: pieces })).toBeLessThan(1_100);
  });

  it('counts audio and documents by their length', () => {
    const pdf = (characters: number): unknown => ({
      type: 'file',
      file: { file_data: `data:application/pdf;base64,JVBER${'A'.repeat(characters)}` },
    });
    expect(ofPart(audio)).toBeLessThan(100);
    expect(ofPart({ ...audio, input_audio: { data: 'A'.repeat(6_400_000), format: 'mp3' } })).toBeGreaterThan(5_900);
    expect(ofPart(pdf(1_000))).toBeLessThan(4_100);
    expect(ofPart(pdf(4_000_000))).toBeGreaterThan(99_000);
    const text = { type: 'base64', media_type: 'text/plain', data: Buffer.from(words).toString('base64') };
    expect(ofPart({ type: 'document', source: text })).toBeGreaterThan(words.length / 4);
  });
});

describe('the prompt of a Responses request', () => {
  const ofInput = (...input: unknown[]): number =>
    sampleRequest('openai-responses', { input }).facts.inputTokensEstimate;
  const ofContent = (part: unknown): number => ofInput({ role: 'user', content: [part] });

  it.each<[string, Record<string, unknown>]>([
    ['input', { input: words }],
    ['instructions', { instructions: words }],
    ['a message', { input: [{ role: 'user', content: words, type: 'message', image_url: 'x' }] }],
    ['a part', { input: [{ role: 'user', content: [{ type: 'input_text', text: words }] }] }],
    ['a call', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: words }] }],
    ['a tool’s output', { input: [{ type: 'function_call_output', call_id: 'c', output: words }] }],
    [
      'a tool’s output in parts',
      { input: [{ type: 'function_call_output', output: [{ type: 'input_text', text: words }] }] },
    ],
    ['a file of words', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: words }] }] }],
    [
      'a file’s name',
      { input: [{ role: 'user', content: [{ type: 'input_file', filename: words, file_data: 'QQ==' }] }] },
    ],
    ['a thought', { input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: words }] }] }],
    ['a tool', { tools: [{ type: 'function', name: 'f', description: words }] }],
  ])('includes the text in %s', (_, fields) => {
    expect(sampleRequest('openai-responses', fields).facts.inputTokensEstimate).toBeGreaterThan(words.length / 4);
  });

  it('counts images anywhere', () => {
    const image_url = `data:image/png;base64,${base64.data}`;
    expect(ofContent({ type: 'input_image', image_url })).toBeLessThan(1_100);
    const output = [{ type: 'input_image', image_url }];
    expect(ofInput({ type: 'function_call_output', call_id: 'c', output })).toBeLessThan(1_100);
    const screenshot = { type: 'computer_screenshot', image_url };
    expect(ofInput({ type: 'computer_call_output', call_id: 'c', output: screenshot })).toBeLessThan(1_100);
    expect(ofInput({ type: 'image_generation_call', id: 'ig', result: base64.data })).toBeLessThan(1_100);
  });

  it('counts documents by their length', () => {
    const pdf = (head: string): unknown => ({ type: 'input_file', file_data: `${head}JVBER${'A'.repeat(4_000_000)}` });
    for (const head of ['', 'data:application/pdf;base64,']) {
      expect(ofContent(pdf(head))).toBeGreaterThan(99_000);
      expect(ofContent(pdf(head))).toBeLessThan(101_000);
    }
  });
});

describe('a payload in base64', () => {
  /** Three megabytes, which as text would be a million tokens. */
  const payload = 'A'.repeat(4_000_000);
  const url = (type: string): string => `data:${type};base64,${payload}`;
  const IMAGE = [1_000, 1_100] as const;
  const FILE = [4_000, 4_100] as const;
  const MP3 = [3_750, 3_850] as const;
  const WAV = [937, 1_040] as const;
  const VIDEO = [7_500, 7_600] as const;
  const PDF = [100_000, 100_100] as const;
  const chat = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });
  const input = (part: object) => ({ input: [{ role: 'user', content: [part] }] });
  const contents = (part: object) => ({ contents: [{ parts: [part] }] });
  const source = (media_type: string, data = payload) => ({ type: 'base64', media_type, data });
  const pdf = `JVBER${payload}`.slice(0, payload.length);

  it.each<[string, DialectId, Record<string, unknown>, readonly [number, number]]>([
    ['image_url', 'openai-chat', chat({ type: 'image_url', image_url: { url: url('image/png') } }), IMAGE],
    [
      'image_url in capitals',
      'openai-chat',
      chat({ type: 'image_url', image_url: `DATA:${url('image/png').slice(5)}` }),
      IMAGE,
    ],
    ['input_audio', 'openai-chat', chat({ type: 'input_audio', input_audio: { data: payload, format: 'mp3' } }), MP3],
    ['input_audio of Mistral', 'openai-chat', chat({ type: 'input_audio', input_audio: payload }), MP3],
    ['audio_url', 'openai-chat', chat({ type: 'audio_url', audio_url: { url: url('audio/mpeg') } }), MP3],
    ['audio_url of a WAV', 'openai-chat', chat({ type: 'audio_url', audio_url: { url: url('audio/wav') } }), WAV],
    [
      'audio_url by its address',
      'openai-chat',
      chat({ type: 'audio_url', audio_url: { url: 'https://a.test' } }),
      FILE,
    ],
    ['video_url', 'openai-chat', chat({ type: 'video_url', video_url: { url: url('video/mp4') } }), VIDEO],
    ['video_url as a text', 'openai-chat', chat({ type: 'video_url', video_url: url('video/mp4') }), VIDEO],
    [
      'video_url by its address',
      'openai-chat',
      chat({ type: 'video_url', video_url: { url: 'https://a.test' } }),
      FILE,
    ],
    ['frames', 'openai-chat', chat({ type: 'video', video: [url('image/jpeg'), url('image/jpeg')] }), [2_000, 2_100]],
    ['file', 'openai-chat', chat({ type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }), PDF],
    ['file without a data URL', 'openai-chat', chat({ type: 'file', file: { file_data: pdf } }), PDF],
    ['file of an image', 'openai-chat', chat({ type: 'file', file: { file_data: url('image/png') } }), IMAGE],
    ['file of a video', 'openai-chat', chat({ type: 'file', file: { file_data: url('video/mp4') } }), VIDEO],
    [
      'document_url',
      'openai-chat',
      chat({ type: 'document_url', document_url: `data:application/pdf;base64,${pdf}` }),
      PDF,
    ],
    ['image_embeds', 'openai-chat', chat({ type: 'image_embeds', image_embeds: payload }), IMAGE],
    ['audio_embeds', 'openai-chat', chat({ type: 'audio_embeds', audio_embeds: payload }), MP3],
    [
      'images of an earlier response',
      'openai-chat',
      {
        messages: [
          { role: 'assistant', content: '', images: [{ type: 'image_url', image_url: { url: url('image/png') } }] },
        ],
      },
      IMAGE,
    ],
    ['image', 'anthropic-messages', chat({ type: 'image', source: source('image/png') }), IMAGE],
    ['document', 'anthropic-messages', chat({ type: 'document', source: source('application/pdf', pdf) }), PDF],
    [
      'tool_result',
      'anthropic-messages',
      chat({ type: 'tool_result', content: [{ type: 'image', source: source('image/png') }] }),
      IMAGE,
    ],
    [
      'web_fetch_tool_result',
      'anthropic-messages',
      chat({
        type: 'web_fetch_tool_result',
        content: { type: 'web_fetch_result', content: { type: 'document', source: source('application/pdf', pdf) } },
      }),
      PDF,
    ],
    ['input_image', 'openai-responses', input({ type: 'input_image', image_url: url('image/png') }), IMAGE],
    ['input_image by its id', 'openai-responses', input({ type: 'input_image', file_id: 'file_1' }), IMAGE],
    ['input_file', 'openai-responses', input({ type: 'input_file', file_data: pdf }), PDF],
    ['input_file by its id', 'openai-responses', input({ type: 'input_file', file_id: 'file_1' }), FILE],
    ['input_file by its address', 'openai-responses', input({ type: 'input_file', file_url: 'https://a.test' }), FILE],
    [
      'input_audio of Responses',
      'openai-responses',
      input({ type: 'input_audio', input_audio: { data: payload, format: 'mp3' } }),
      MP3,
    ],
    ['input_video', 'openai-responses', input({ type: 'input_video', video_url: url('video/mp4') }), VIDEO],
    [
      'image_generation_call',
      'openai-responses',
      { input: [{ type: 'image_generation_call', result: payload }] },
      IMAGE,
    ],
    [
      'computer_screenshot',
      'openai-responses',
      {
        input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: url('image/png') } }],
      },
      IMAGE,
    ],
    [
      'code_interpreter_call',
      'openai-responses',
      { input: [{ type: 'code_interpreter_call', outputs: [{ type: 'image', url: url('image/png') }] }] },
      IMAGE,
    ],
    ['inlineData', 'gemini', contents({ inlineData: { mimeType: 'image/png', data: payload } }), IMAGE],
    ['inline_data', 'gemini', contents({ inline_data: { mime_type: 'video/mp4', data: payload } }), VIDEO],
    [
      'inlineData of audio',
      'gemini',
      contents({ inlineData: { mimeType: 'audio/mp3', data: payload } }),
      [12_000, 12_100],
    ],
    ['fileData', 'gemini', contents({ fileData: { mimeType: 'video/mp4', fileUri: 'https://a.test' } }), FILE],
    [
      'functionResponse',
      'gemini',
      contents({
        functionResponse: {
          name: 'f',
          response: {},
          parts: [{ inlineData: { mimeType: 'image/png', data: payload } }],
        },
      }),
      IMAGE,
    ],
    [
      'content to embed',
      'gemini-embeddings',
      { content: { parts: [{ inlineData: { mimeType: 'image/png', data: payload } }] } },
      IMAGE,
    ],
    [
      'contents to embed',
      'gemini-embeddings',
      {
        content: undefined,
        requests: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: payload } }] } }],
      },
      IMAGE,
    ],
    ['image to embed', 'openai-embeddings', { input: [{ image: payload }] }, IMAGE],
    ['image to embed by its address', 'openai-embeddings', { input: [{ image: 'https://a.test' }] }, IMAGE],
    ['PDF to embed', 'openai-embeddings', { input: [{ pdf }] }, PDF],
    ['audio to embed', 'openai-embeddings', { input: [{ audio: payload }] }, MP3],
    ['video to embed', 'openai-embeddings', { input: [{ video: url('video/mp4') }] }, VIDEO],
    ['image to rank', 'rerank', { query: 'a', documents: [{ image: payload }] }, IMAGE],
    ['image to rank by its address', 'rerank', { query: 'a', documents: [{ image: 'https://a.test' }] }, IMAGE],
  ])('counts by its kind and size: %s (%s)', (_, format, fields, [least, most]) => {
    const { inputTokensEstimate: tokens } = sampleRequest(format, fields).facts;
    expect(tokens).toBeGreaterThanOrEqual(least);
    expect(tokens).toBeLessThanOrEqual(most);
  });
});

/** Tokens that o200k has for each value, as JSON. */
it.each<[what: string, format: DialectId, value: (nth: number) => unknown, least: number]>([
  ['names of short words', 'openai-chat', (nth) => ({ [`description_${nth}`]: true }), 3],
  ['names of 16 rare letters', 'openai-chat', (nth) => ({ [`${'ʘǂǁǀɧɮ'.repeat(2)}${1_000 + nth}`]: 0 }), 5],
  ['long names', 'openai-chat', (nth) => ({ [`lorem ipsum dolor sit amet ${nth}`]: 1 }), 7],
  ['names of schemas', 'anthropic-messages', (nth) => ({ input_schema: { [`parameter_${nth}`]: {} } }), 6],
  ['names of Gemini’s schemas', 'gemini', (nth) => ({ parameters: { [`parameter_${nth}`]: {} } }), 6],
  ['integers within identifiers', 'openai-chat', (nth) => 123_456_789_012_345 + nth, 5],
  ['integers that a double rounds', 'openai-chat', (nth) => 1e300 + nth, 100],
  ['exact integers of 1,000 digits', 'openai-chat', () => ({ parameters: [BigInt('7'.repeat(1_000))] }), 333],
  ['negative integers', 'gemini', (nth) => -1e15 - nth, 5],
  ['fractions', 'openai-chat', (nth) => (nth + 1) / 7_919, 5],
  ['empty lists', 'openai-chat', () => [], 1],
  ['empty objects', 'openai-chat', () => ({}), 1],
])('counts the tokens of data: %s (%s)', (_, format, value, least) => {
  const tools = Array.from({ length: 500 }, (_value, nth) => value(nth));
  const estimateOf = (fields: object): number => sampleRequest(format, { ...fields }).facts.inputTokensEstimate;
  const tokens = estimateOf({ tools }) - estimateOf({});
  expect(tokens).toBeGreaterThanOrEqual(least * 500);
  expect(tokens).toBeLessThan(3 * least * 500 + 10);
});

it('counts token ids and the fields of messages as one token each', () => {
  const ids = Array.from({ length: 1_000 }, (_, nth) => 199_000 + nth);
  const { inputTokensEstimate } = sampleRequest('openai-embeddings', { input: [ids] }).facts;
  expect(inputTokensEstimate).toBeLessThan(1_010);
  expect(ofMessage({ content: 'hi', tool_call_id: null })).toBeLessThan(12);
});

it('refuses a number whose digits the parsed body does not have', () => {
  const body = (digits: number): string =>
    `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"n":${'7'.repeat(digits)}}]}`;
  expect(() => rawRequest('openai-chat', body(4_199))).toThrow('more than 308 digits');
  expect(rawRequest('openai-chat', body(300)).facts.inputTokensEstimate).toBeGreaterThan(100);
});
