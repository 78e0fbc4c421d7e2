import { expect, it } from 'vitest';
import { readsExternalContent } from './external-content.ts';

const message = (content: unknown): Record<string, unknown> => ({ messages: [{ role: 'user', content }] });

it.each<[string, Record<string, unknown>]>([
  ['the address of an image', message([{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }])],
  ['a file at the vendor', message([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])],
  ['a file of Gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://a.test/video' } }] }] }],
  ['a document of OpenAI', message([{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } }])],
  [
    'a document of OpenAI’s Responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBE' }] }] },
  ],
  [
    'a document of Anthropic',
    message([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }]),
  ],
  ['audio', message([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }])],
  ['a video', message([{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }])],
  ['a video of Gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] }],
  ['cached content', { contents: [], cachedContent: 'cachedContents/1' }],
  ['an earlier response', { input: 'hi', previous_response_id: 'resp_1' }],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }],
  ['a search', { ...message('hi'), web_search_options: {} }],
  ['a tool of OpenAI', { input: 'hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['a tool of Anthropic', { ...message('hi'), tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['a tool of Gemini', { contents: [], tools: [{ functionDeclarations: [] }, { urlContext: {} }] }],
])('finds %s', (_, body) => {
  expect(readsExternalContent(body)).toBe(true);
});

it.each<[string, Record<string, unknown>]>([
  ['words', message('Read https://a.test for me')],
  ['an image', message([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])],
  ['an image of Gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }] }],
  [
    'a text of Anthropic',
    message([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }]),
  ],
  ['a text to continue', { prompt: 'hi' }],
  [
    'functions',
    {
      ...message('hi'),
      tools: [
        { type: 'function', function: { name: 'f', parameters: { properties: { url: { type: 'string' } } } } },
        { name: 'g', input_schema: { type: 'object' } },
        { functionDeclarations: [{ name: 'h' }] },
      ],
    },
  ],
  ['a setting that is off', { ...message('hi'), enable_search: false, previous_response_id: null }],
])('finds nothing beyond the request in %s', (_, body) => {
  expect(readsExternalContent(body)).toBe(false);
});
