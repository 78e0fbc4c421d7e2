import { describe, expect, it } from 'vitest';
import { listOf, objectOf } from '../../../../json/json.ts';
import { contentParts } from './decode-content.ts';

function read(...blocks: unknown[]): { parts: unknown[]; unsupported: string[] } {
  const unsupported: string[] = [];
  return { parts: contentParts(blocks, unsupported), unsupported };
}

describe('documents', () => {
  const document = (source: unknown, fields: object = {}): unknown => ({ type: 'document', source, ...fields });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

  it.each([
    [
      { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      { mediaType: 'application/pdf', base64: 'AAAA' },
    ],
    [
      { type: 'text', media_type: 'text/plain', data: 'hi' },
      { mediaType: 'text/plain', base64: 'aGk=' },
    ],
    [{ type: 'url', url: 'https://a.test' }, { url: 'https://a.test' }],
  ])('are read from %o as files with their title', (source, expected) => {
    expect(read(document(source, { title: 't' })).parts).toEqual([
      { type: 'file', name: 't', source: expected, cache: undefined },
    ]);
  });

  it('turns documents of blocks into their texts and images, with the cache breakpoint after the last', () => {
    const source = { type: 'content', content: [{ type: 'text', text: 'a' }, image] };
    const { parts } = read(document(source, { title: 't', cache_control: { type: 'ephemeral' } }));
    expect(parts).toMatchObject([
      { type: 'text', text: 't' },
      { type: 'text', text: 'a' },
      { type: 'image', source: { base64: 'AAAA' }, cache: '5m' },
    ]);
    expect(read(document({ type: 'content', content: 'plain' })).parts).toEqual([{ type: 'text', text: 'plain' }]);
  });

  it('reports uploaded documents, their context and their citation settings as unsupported', () => {
    const { parts, unsupported } = read(
      document({ type: 'file', file_id: 'f' }),
      document({ type: 'url', url: 'https://a.test' }, { context: 'c', citations: { enabled: true } }),
      { type: 'image', source: { type: 'file', file_id: 'f' } },
    );
    expect(parts).toHaveLength(1);
    expect(unsupported).toEqual([
      'messages.content.document.file',
      'messages.content.document.context',
      'messages.content.document.citations',
      'messages.content.image.file',
    ]);
  });

  it('keeps documents and images in tool results and turns search results into text', () => {
    const result = {
      type: 'search_result',
      title: 'T',
      source: 'https://a.test',
      content: [{ type: 'text', text: 'found' }],
    };
    const { parts, unsupported } = read({
      type: 'tool_result',
      tool_use_id: 't',
      is_error: true,
      content: [image, document({ type: 'url', url: 'https://a.test' }), result, { type: 'tool_reference' }],
    });
    expect(parts).toMatchObject([
      {
        type: 'tool-result',
        isError: true,
        content: [{ type: 'image' }, { type: 'file' }, { text: 'T\nhttps://a.test' }, { text: 'found' }],
      },
    ]);
    expect(unsupported).toEqual(['messages.content.search_result', 'messages.content.tool_reference']);
  });
});

describe('vendor tool calls', () => {
  const use = (name: string, input: unknown): unknown => ({ type: 'server_tool_use', id: 's', name, input });
  const result = (type: string, content: unknown): unknown => ({ type, tool_use_id: 's', content });

  it.each([
    [
      use('web_search', { query: 'q' }),
      result('web_search_tool_result', [
        { type: 'web_search_result', url: 'https://a.test', title: 'A', encrypted_content: 'x' },
      ]),
      { tool: 'web-search', input: 'q', sources: [{ url: 'https://a.test', title: 'A' }] },
    ],
    [
      use('web_search', { query: 'q' }),
      result('web_search_tool_result', { type: 'web_search_tool_result_error', error_code: 'unavailable' }),
      { tool: 'web-search', input: 'q', isError: true },
    ],
    [
      use('web_fetch', { url: 'https://a.test' }),
      result('web_fetch_tool_result', {
        type: 'web_fetch_result',
        url: 'https://a.test',
        content: { type: 'document', title: 'A' },
      }),
      { tool: 'url-fetch', input: 'https://a.test', sources: [{ url: 'https://a.test', title: 'A' }] },
    ],
    [
      use('bash_code_execution', { command: 'ls' }),
      result('bash_code_execution_tool_result', { stdout: 'a', stderr: 'b', return_code: 2 }),
      { tool: 'code-execution', input: 'ls', output: 'ab', isError: true },
    ],
    [
      use('text_editor_code_execution', { command: 'view', path: '/a' }),
      result('text_editor_code_execution_tool_result', { content: 'lines' }),
      { tool: 'code-execution', input: '{"command":"view","path":"/a"}', output: 'lines' },
    ],
  ])('are read as one call with its result: %o', (call, answered, expected) => {
    const { parts, unsupported } = read(call, answered);
    expect(parts).toEqual([{ type: 'vendor-call', call: { callId: 's', ...expected } }]);
    expect(unsupported).toEqual([]);
  });

  it('calls with one id are read with their result once', () => {
    const sources = Array.from({ length: 100 }, () => ({ type: 'web_search_result', url: 'https://a.test' }));
    const calls = Array.from({ length: 3 }, () => use('web_search', { query: 'q' }));
    const { parts } = read(...calls, result('web_search_tool_result', sources));
    const found = parts.map((part) => listOf(objectOf(objectOf(part)['call'])['sources']).length);
    expect(found).toEqual([100, 0, 0]);
  });

  it('reports vendor tools without a counterpart and results without a call as unsupported', () => {
    const { parts, unsupported } = read(use('tool_search_tool_regex', {}), result('tool_search_tool_result', {}), {
      type: 'web_search_tool_result',
      tool_use_id: 'other',
      content: [],
    });
    expect(parts).toEqual([]);
    expect(unsupported).toEqual([
      'messages.content.server_tool_use.tool_search_tool_regex',
      'messages.content.web_search_tool_result',
    ]);
  });
});
