import { describe, expect, it } from 'vitest';
import { conversationUsage, emptyUsage, TOKENS_MAX, usageByModel } from '../../../model/usage.ts';
import { UsageReport, writeUsage } from './usage-report.ts';

describe('UsageReport', () => {
  it('replaces earlier reports instead of adding', () => {
    const report = new UsageReport()
      .add({ input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 })
      .add({ input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 40 });
    expect(report.usage).toMatchObject({ input: 10, cachedRead: 5, output: 40 });
  });

  it.each([
    [
      'first',
      [
        { input_tokens: 43, output_tokens: 1 },
        { input_tokens: 0, output_tokens: 2 },
      ],
    ],
    [
      'last',
      [
        { input_tokens: 0, output_tokens: 1 },
        { input_tokens: 43, output_tokens: 2 },
      ],
    ],
  ])('takes the input from the %s report if the other one is zero', (_, [first, last]) => {
    expect(new UsageReport().add(first).add(last).usage).toMatchObject({ input: 43, output: 2 });
  });

  it('counts web searches once besides the tokens, even if the vendor ran several models', () => {
    const searched = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 9 } };
    const plain = new UsageReport().add({ input_tokens: 5, output_tokens: 0, ...searched }).usage;
    expect(plain).toMatchObject({ input: 5, webSearch: 3 });
    const runs = { iterations: [{ input_tokens: 1 }, { input_tokens: 2 }], ...searched };
    const { usage = emptyUsage() } = new UsageReport().add(runs);
    expect(conversationUsage(usage)).toMatchObject({ input: 3, webSearch: 3 });
    expect(usageByModel(usage).map(({ webSearch }) => webSearch)).toEqual([3, 0]);
    expect(writeUsage(plain)).toMatchObject({ server_tool_use: { web_search_requests: 3, web_fetch_requests: 0 } });
  });

  it.each<[what: string, counts: object, searches: number]>([
    ['without a count', {}, 2],
    ['with null as the count', { server_tool_use: null }, 2],
    ['with a count of other tools', { server_tool_use: { web_fetch_requests: 1 } }, 2],
    ['with text as the count', { server_tool_use: { web_search_requests: '9' } }, 2],
    ['with a count of 0', { server_tool_use: { web_search_requests: 0 } }, 0],
    ['with a higher count', { server_tool_use: { web_search_requests: 3 } }, 3],
  ])('keeps the searches that the blocks show after a report %s', (_what, counts, searches) => {
    const report = new UsageReport().addStart({ input_tokens: 5, server_tool_use: { web_search_requests: 0 } });
    for (const id of ['s1', 's2']) report.addBlock({ type: 'server_tool_use', name: 'web_search', id });
    expect(report.usage).toMatchObject({ webSearch: 2 });
    expect(report.add({ output_tokens: 2, ...counts }).usage).toMatchObject({ webSearch: searches });
  });

  it('keeps the split of a prompt if a later report is lower', () => {
    const report = new UsageReport()
      .add({ input_tokens: 10, cache_read_input_tokens: 900, output_tokens: 40 })
      .add({ input_tokens: 3, output_tokens: 0 });
    expect(report.usage).toMatchObject({ input: 10, cachedRead: 900, output: 40 });
  });

  it('limits the usage of any number of runs', () => {
    const run = { input_tokens: 1e308, cache_read_input_tokens: 1e9, output_tokens: 1e308 };
    expect(new UsageReport().add({ iterations: [run, run, run] }).usage).toMatchObject({
      input: TOKENS_MAX,
      cachedRead: TOKENS_MAX,
      output: TOKENS_MAX,
    });
  });

  it('keeps the lifetime of cache writes that only the first report has', () => {
    const report = new UsageReport()
      .add({
        input_tokens: 1,
        cache_creation_input_tokens: 50,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
      })
      .add({ cache_creation_input_tokens: 50, output_tokens: 2 });
    expect(report.usage).toMatchObject({ cacheWrite5m: 20, cacheWrite1h: 30 });
    expect(report.usage?.untimedCacheWrites).toBeUndefined();
    const grown = report.add({ cache_creation_input_tokens: 70, output_tokens: 3 }).usage;
    expect(grown).toMatchObject({ cacheWrite5m: 40, cacheWrite1h: 30, untimedCacheWrites: 20 });
  });

  it('counts cache writes of unknown lifetime as short', () => {
    expect(new UsageReport().add({ cache_creation_input_tokens: 9 }).usage).toMatchObject({ cacheWrite5m: 9 });
  });

  it('keeps the runs of the vendor within the response apart', () => {
    const runs = [
      { input_tokens: 100, output_tokens: 10 },
      { input_tokens: 5, output_tokens: 7 },
    ];
    const usage = new UsageReport().add({ input_tokens: 5, output_tokens: 7, iterations: runs }).usage;
    expect(usage).toMatchObject({ input: 100, output: 10, others: [{ model: '', usage: { input: 5, output: 7 } }] });
  });

  it('adds up any number of runs', () => {
    const runs = Array.from({ length: 1_000 }, (_, nth) => ({ input_tokens: 1, model: nth % 2 ? `m${nth}` : 'asked' }));
    const { usage = emptyUsage() } = new UsageReport().add({ iterations: runs });
    expect(conversationUsage(usage).input).toBe(1_000);
    expect(usage.others?.length).toBeLessThanOrEqual(100);
    const advised = Array.from({ length: 1_000 }, (_, nth) => ({
      input_tokens: 1,
      model: nth === 0 ? 'asked' : 'other',
    }));
    const { others = [] } = new UsageReport().add({ iterations: advised }).usage ?? emptyUsage();
    expect(others).toHaveLength(99);
    expect(others.reduce((sum, run) => sum + (run.model === 'other' ? run.usage.input : 0), 0)).toBe(999);
  });

  it('attributes the reasoning to the runs of the requested model', () => {
    const iterations = [{ output_tokens: 10 }, { model: 'advisor', output_tokens: 50 }, { output_tokens: 30 }];
    const report = { output_tokens_details: { thinking_tokens: 25 }, iterations };
    expect(new UsageReport().add({ ...report, output_tokens: 30 }).usage).toMatchObject({
      output: 0,
      reasoning: 10,
      others: [
        { model: 'advisor', usage: { output: 50, reasoning: 0 } },
        { model: '', usage: { output: 15, reasoning: 15 } },
      ],
    });
  });

  it.each([
    ['names no model', {}, {}],
    ['names the one that was asked for', { model: 'asked' }, { model: 'asked' }],
  ])('keeps the runs of other models apart if a first run %s', (_what, first, last) => {
    const runs = [
      { type: 'message', input_tokens: 100, output_tokens: 10, ...first },
      { type: 'advisor_message', model: 'advisor', input_tokens: 20, output_tokens: 5 },
      { type: 'fallback_message', model: 'other', input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 2 },
      { type: 'advisor_message', model: 'advisor', input_tokens: 1, output_tokens: 1 },
      { type: 'message', input_tokens: 7, output_tokens: 8, ...last },
    ];
    const usage = new UsageReport().add({ input_tokens: 7, output_tokens: 8, iterations: runs }).usage;
    expect(usage).toEqual({
      ...emptyUsage(),
      input: 100,
      output: 10,
      others: [
        { model: 'advisor', usage: { ...emptyUsage(), input: 20, output: 5 } },
        { model: 'other', usage: { ...emptyUsage(), input: 4, cachedRead: 3, output: 2 } },
        { model: 'advisor', usage: { ...emptyUsage(), input: 1, output: 1 } },
        { model: '', usage: { ...emptyUsage(), input: 7, output: 8 } },
      ],
    });
  });

  it.each([
    ['a message that names it', [{ model: 'asked' }]],
    ['messages that name its alias and its version', [{ model: 'asked' }, { model: 'asked-20250929' }]],
    ['messages of which only the last names it', [{}, { model: 'asked' }]],
  ])('bills compaction and %s as the requested model', (_what, messages) => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 10 },
      ...messages.map((named) => ({ type: 'message', input_tokens: 7, output_tokens: 8, ...named })),
    ];
    const usage = new UsageReport().add({ iterations }).usage ?? emptyUsage();
    expect((usage.others ?? []).filter(({ model }) => model !== '')).toEqual([]);
    const sum = { input: 100 + 7 * messages.length, output: 10 + 8 * messages.length };
    expect(conversationUsage(usage)).toMatchObject(sum);
  });

  it('subtracts thinking from the output', () => {
    const report = { output_tokens: 30, output_tokens_details: { thinking_tokens: 20 } };
    expect(new UsageReport().add(report).usage).toMatchObject({ output: 10, reasoning: 20 });
  });

  it('reports nothing without a report', () => {
    expect(new UsageReport().add(undefined).add({}).add({ input_tokens: null }).usage).toBeUndefined();
  });

  it('round-trips through encoding and decoding', () => {
    const usage = new UsageReport().add({
      input_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 6 },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 2 },
    }).usage;
    expect(new UsageReport().add(writeUsage(usage)).usage).toEqual(usage);
  });
});
