import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../testing/samples.ts';

const words = 'lorem ipsum '.repeat(3_000);
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
    ['the name of a field', { tools: [{ properties: { [words]: {} } }] }],
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
