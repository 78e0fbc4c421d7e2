import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../samples.ts';

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
    [
      'a message with a picture',
      { messages: [{ role: 'user', type: 'image', source: base64, content: words }] },
    ],
    [
      'a text part',
      { messages: [{ role: 'user', content: [{ type: 'text', text: words, image_url: 'x' }] }] },
    ],
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
      {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x', text: words } }] }],
      },
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
      {
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'text', data: words } }] }],
      },
    ],
    [
      'a document in parts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', source: { type: 'content', content: [{ type: 'text', text: words }] } },
            ],
          },
        ],
      },
    ],
    [
      'a tool’s result',
      {
        messages: [
          { role: 'user', content: [{ type: 'tool_result', content: [{ type: 'text', text: words }] }] },
        ],
      },
    ],
    [
      'a tool call’s input',
      {
        messages: [
          {
            role: 'assistant',
            content: [
              {
                type: 'tool_use',
                input: { content: [{ type: 'image', source: { ...base64, data: words } }] },
              },
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
  ])('counts the words in %s', (_, fields) => {
    expect(estimate(fields)).toBeGreaterThan(words.length / 4);
  });

  it('takes a payload for what it is, wherever a message may have one', () => {
    expect(ofPart({ type: 'image', source: base64 })).toBeLessThan(1_100);
    expect(ofPart({ type: 'image_url', image_url: `data:image/png;base64,${base64.data}` })).toBeLessThan(
      1_100,
    );
    const result = { type: 'tool_result', content: [{ type: 'image', source: base64 }] };
    expect(ofPart(result)).toBeLessThan(1_100);
    const pieces = { type: 'content', content: [{ type: 'image', source: base64 }] };
    expect(ofPart({ type: 'document', source: pieces })).toBeLessThan(1_100);
  });

  it('counts speech by its length, and documents by theirs', () => {
    const pdf = (characters: number): unknown => ({
      type: 'file',
      file: { file_data: `data:application/pdf;base64,JVBER${'A'.repeat(characters)}` },
    });
    expect(ofPart(audio)).toBeLessThan(100);
    expect(ofPart({ ...audio, input_audio: { data: 'A'.repeat(6_400_000), format: 'mp3' } })).toBeGreaterThan(
      5_900,
    );
    expect(ofPart(pdf(1_000))).toBeLessThan(4_100);
    expect(ofPart(pdf(4_000_000))).toBeGreaterThan(99_000);
    const text = { type: 'base64', media_type: 'text/plain', data: Buffer.from(words).toString('base64') };
    expect(ofPart({ type: 'document', source: text })).toBeGreaterThan(words.length / 4);
  });
});
