import { describe, expect, it } from 'vitest';
import { emptyUsage } from '../../../model/usage.ts';
import { UsageReport, writeUsage } from './usage-report.ts';

function usageOf(items: readonly Record<string, unknown>[], usage?: unknown): UsageReport['usage'] {
  const report = new UsageReport();
  for (const item of items) report.addItem(item);
  report.addResponse({ output: items, usage });
  return report.usage;
}

const tokens = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 30 },
  total_tokens: 150,
};

describe('usage of a response', () => {
  it('splits the usage into disjoint counters', () => {
    expect(usageOf([], tokens)).toMatchObject({
      input: 30,
      cachedRead: 60,
      cacheWrite5m: 10,
      output: 20,
      reasoning: 30,
    });
  });

  it.each([[undefined], [null], ['x'], [{}], [{ input_tokens: null }]])('is missing in %o', (usage) => {
    expect(usageOf([], usage)).toBeUndefined();
  });

  it('may be zero', () => {
    expect(usageOf([], { input_tokens: 0, output_tokens: 0 })).toEqual(emptyUsage());
  });

  it('counts searches, not pages opened, and containers, not runs', () => {
    const search = (type: string): Record<string, unknown> => ({ type: 'web_search_call', action: { type } });
    const run = (container_id: string): Record<string, unknown> => ({ type: 'code_interpreter_call', container_id });
    const items = [
      search('search'),
      search('open_page'),
      search('find_in_page'),
      { type: 'web_search_call' },
      { ...search('search'), status: 'failed' },
      run('a'),
      run('a'),
      run('b'),
      { type: 'file_search_call' },
    ];
    expect(usageOf(items, tokens)).toMatchObject({ input: 30, webSearch: 2, codeExecution: 2, fileSearch: 1 });
  });

  const shell = (environment: unknown, id = 'sh_1'): Record<string, unknown> => ({
    type: 'shell_call',
    id,
    call_id: `call_${id}`,
    status: 'completed',
    action: { commands: ['ls'] },
    environment,
  });
  const inContainer = (container_id: string) => ({ type: 'container_reference', container_id });
  const shellOutput = { type: 'shell_call_output', id: 'sho_1', call_id: 'call_sh_1', output: [] };

  it.each<[what: string, items: Record<string, unknown>[], containers: number]>([
    ['one hosted shell', [shell(inContainer('a')), shellOutput], 1],
    ['two commands in one container', [shell(inContainer('a')), shell(inContainer('a'), 'sh_2')], 1],
    ['two containers', [shell(inContainer('a')), shell(inContainer('b'), 'sh_2')], 2],
    [
      'a shell and an interpreter in one container',
      [shell(inContainer('a')), { type: 'code_interpreter_call', container_id: 'a' }],
      1,
    ],
    ['a hosted shell without the name of its container', [shell(null), shellOutput], 1],
    ['a shell that the client runs', [shell({ type: 'local' })], 0],
    ['a shell that an older client runs', [shell(null)], 0],
    ['a sandbox of Perplexity', [{ type: 'sandbox_results' }, { type: 'sandbox_results' }], 1],
  ])('counts the containers of %s', (_what, items, containers) => {
    expect(usageOf(items, tokens)?.codeExecution).toBe(containers);
    const atOnce = new UsageReport();
    atOnce.addResponse({ output: items, usage: tokens });
    expect(atOnce.usage?.codeExecution).toBe(containers);
  });

  it.each<[what: string, items: Record<string, unknown>[], details: unknown, searches: number]>([
    ['the reported invocations', [], { search_web: { invocation: 3 } }, 3],
    ['invocations of all search tools', [], { web_search: { invocation: 1 }, people_search: { invocation: 2 } }, 3],
    ['the results without a report', [{ type: 'search_results', results: [], queries: ['a', 'b'] }], undefined, 1],
    [
      'results of tools that the report omits',
      [{ type: 'search_results' }, { type: 'people_search_results' }, { type: 'finance_results' }],
      { search_web: { invocation: 1 } },
      3,
    ],
    ['a search that returned several lists', [{ type: 'search_results' }], { search_web: { invocation: 4 } }, 4],
    ['no fetched page', [{ type: 'fetch_url_results', contents: [] }], { fetch_url: { invocation: 5 } }, 0],
    ['no implausible report', [], { search_web: { invocation: -1 }, web_search: 'many', people_search: null }, 0],
  ])('counts of Perplexity: %s', (_what, items, tool_calls_details, searches) => {
    expect(usageOf(items, { ...tokens, tool_calls_details })?.webSearch).toBe(searches);
  });

  it.each([
    [
      'xAI',
      {
        server_side_tool_usage_details: {
          web_search_calls: 2,
          x_search_calls: 3,
          code_interpreter_calls: 1,
          file_search_calls: 4,
          document_search_calls: 5,
        },
      },
      { webSearch: 5, codeExecution: 1, fileSearch: 9 },
    ],
    [
      'xAI, which ran nothing',
      { server_side_tool_usage_details: { web_search_calls: 0 } },
      { webSearch: 0, codeExecution: 0, fileSearch: 0 },
    ],
    ['OpenRouter', { server_tool_use_details: { web_search_requests: 3 } }, { webSearch: 3, fileSearch: 1 }],
    ['Volcengine', { tool_usage: { web_search: 4, image_process: 1 } }, { webSearch: 4, fileSearch: 1 }],
    ['Volcengine, which only processed images', { tool_usage: { image_process: 1 } }, { webSearch: 2 }],
    ['nobody', { server_tool_use_details: { web_search_requests: 0 } }, { webSearch: 2, fileSearch: 1 }],
  ])('prefers the calls that %s reports', (_vendor, reported, calls) => {
    const items = [{ type: 'web_search_call' }, { type: 'x_search_call' }, { type: 'file_search_call' }];
    expect(usageOf(items, { ...tokens, ...reported })).toMatchObject(calls);
  });

  it('counts tool calls without reported tokens, and each item once', () => {
    const report = new UsageReport();
    report.addResponse({ output: [{ type: 'file_search_call' }] });
    expect(report.usage).toEqual({ ...emptyUsage(), fileSearch: 1 });
    expect(usageOf([{ type: 'file_search_call' }])?.fileSearch).toBe(1);
  });

  it.each([
    ['a search', { type: 'web_search_call', action: { type: 'search' } }, { webSearch: 1 }],
    ['a search on X', { type: 'x_search_call' }, { webSearch: 1 }],
    ['a search in files', { type: 'file_search_call' }, { fileSearch: 1 }],
    ['a page that may be opened', { type: 'web_search_call' }, undefined],
  ])('counts a call that has begun and not ended: %s', (_, item, calls) => {
    const report = new UsageReport();
    report.addEvent({ type: 'response.output_item.added', output_index: 0, item });
    expect(report.usage).toEqual(calls && { ...emptyUsage(), ...calls });
    report.addEvent({ type: 'response.output_item.done', output_index: 0, item: { type: 'message' } });
    expect(report.usage).toBeUndefined();
  });

  it('limits the counters', () => {
    const items = Array.from({ length: 20_000 }, (_, id) => ({ type: 'code_interpreter_call', id: `ci_${id}` }));
    expect(usageOf(items)?.codeExecution).toBe(10_000);
  });

  it('round-trips through encoding and decoding', () => {
    const cached = { cachedRead: 2, cachedAudioInput: 6, cachedImageInput: 7 };
    const usage = { ...emptyUsage(), ...cached, input: 1, cacheWrite5m: 3, output: 4, reasoning: 5 };
    expect(usageOf([], writeUsage(usage))).toEqual({ ...usage, untimedCacheWrites: usage.cacheWrite5m });
    expect(writeUsage(usage)).toMatchObject({ input_tokens: 19, output_tokens: 9, total_tokens: 28 });
    expect(writeUsage(undefined)).toBeNull();
  });
});
