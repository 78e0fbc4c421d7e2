import { expect, it } from 'vitest';
import { estimateToolCalls, readsExternalContent, requestsMedia, usesVendorTools } from './uncountable-content.ts';

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
  ['a video in frames', message([{ type: 'video', video: ['https://a.test/1.jpg', 'https://a.test/2.jpg'] }])],
  ['a document of Mistral', message([{ type: 'document_url', document_url: 'https://a.test/b.pdf' }])],
  ['audio of Mistral', message([{ type: 'input_audio', input_audio: 'AAAA' }])],
  ['a video of Gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] }],
  ['an image without a type', message([{ image: 'https://a.test/b.png' }, { text: 'x' }])],
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

it.each<[string, Record<string, unknown>, boolean]>([
  ['a search option', { ...message('hi'), web_search_options: {} }, true],
  ['an MCP server of Claude', { ...message('hi'), mcp_servers: [{ url: 'https://a.test' }] }, true],
  ['a stored prompt, which may have tools', { prompt: { id: 'pmpt_1' } }, true],
  ['a search', { input: 'hi', tools: [{ type: 'web_search' }] }, true],
  ['an image tool', { input: 'hi', tools: [{ type: 'image_generation' }] }, true],
  ['a tool that is added later', { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] }, true],
  [
    'a container of the vendor',
    { input: 'hi', tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    true,
  ],
  ['code execution of Claude', { ...message('hi'), tools: [{ type: 'code_execution_20250825', name: 'code' }] }, true],
  ['a search of Gemini', { contents: [], tools: [{ functionDeclarations: [] }, { google_search: {} }] }, true],
  [
    'a search of Kimi',
    { ...message('hi'), tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
    true,
  ],
  ['functions', { ...message('hi'), tools: [{ type: 'function' }, { type: 'custom' }, { name: 'f' }] }, false],
  ['a namespace of functions', { input: 'hi', tools: [{ type: 'namespace', tools: [] }] }, false],
  [
    'tools that the client runs',
    {
      input: 'hi',
      tools: [
        { type: 'local_shell' },
        { type: 'shell' },
        { type: 'apply_patch' },
        { type: 'computer_use_preview' },
        { type: 'bash_20250124' },
        { type: 'text_editor_20250728' },
        { type: 'memory_20250818' },
      ],
    },
    false,
  ],
  ['a search of the declared tools', { input: 'hi', tools: [{ type: 'tool_search' }] }, false],
  ['a computer of Gemini’s client', { contents: [], tools: [{ computerUse: {} }] }, false],
  ['a file', message([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]), false],
  ['an option that is off', { ...message('hi'), enable_search: false, plugins: null }, false],
])('finds whether tools run at the vendor: %s', (_, body, expected) => {
  expect(usesVendorTools(body)).toBe(expected);
  if (expected) expect(readsExternalContent(body)).toBe(true);
});

it.each<[Record<string, unknown>, boolean]>([
  [{ modalities: ['text', 'audio'] }, true],
  [{ modalities: ['image', 'text'] }, true],
  [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, true],
  [{ generation_config: { response_modalities: ['AUDIO'] } }, true],
  [{ modalities: ['text'] }, false],
  [{ generationConfig: { responseModalities: ['TEXT'] } }, false],
  [{ modalities: 'audio' }, false],
  [{}, false],
])('finds whether %j requests other output than text', (body, expected) => {
  expect(requestsMedia(body)).toBe(expected);
});

it.each<[string, Record<string, unknown>, { options?: Record<string, string>; model?: string }, number]>([
  ['no tool', message('hi'), {}, 0],
  ['a function', { ...message('hi'), tools: [{ type: 'function' }], max_tool_calls: 4 }, {}, 0],
  ['a search', { input: 'hi', tools: [{ type: 'web_search' }] }, {}, 1],
  ['the calls that Responses allows', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: 3 }, {}, 3],
  ['the calls that Anthropic allows', { tools: [{ type: 'web_search_20250305', max_uses: 6 }, { name: 'f' }] }, {}, 6],
  ['more calls than plausible', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: 1e9 }, {}, 25],
  ['an invalid limit', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: -1 }, {}, 1],
  ['a search that the channel adds', message('hi'), { options: { webSearch: 'search_std' } }, 1],
  ['a tool that the channel does not add', message('hi'), { options: { webSearch: 'off', codeExecution: '' } }, 0],
  ['a model that always searches', message('hi'), { model: 'gpt-4o-search-preview' }, 1],
  ['an online model of OpenRouter', message('hi'), { model: 'openai/gpt-5:online' }, 1],
  ['a model of Perplexity', message('hi'), { model: 'perplexity/sonar-pro' }, 1],
])('estimates the calls of vendor tools: %s', (_, body, { options = {}, model = 'gpt-5' }, calls) => {
  expect(estimateToolCalls(body, { options, model })).toBe(calls);
});
