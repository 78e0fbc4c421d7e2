import { describe, expect, it } from 'vitest';
import { addAmazonBetas } from './claude-at-clouds.ts';

const messages = [{ role: 'user', content: 'hi' }];

function fit(body: Record<string, unknown>, ...asked: string[]) {
  const dropped: string[] = [];
  return { body: addAmazonBetas({ messages, ...body }, asked, dropped), dropped };
}

describe('beta features of Claude at Amazon', () => {
  it('returns a body without beta features unchanged', () => {
    const body = { messages };
    expect(addAmazonBetas(body, [], [])).toBe(body);
  });

  it.each([
    [{ tools: [{ name: 'a', defer_loading: true }] }, 'tool-search-tool-2025-10-19'],
    [{ tools: [{ type: 'tool_search_tool_bm25_20251119', name: 's' }] }, 'tool-search-tool-2025-10-19'],
    [{ tools: [{ type: 'memory_20250818', name: 'memory' }] }, 'context-management-2025-06-27'],
    [{ tools: [{ type: 'computer_20250124', name: 'computer' }] }, 'computer-use-2025-01-24'],
    [{ tools: [{ type: 'computer_20251124', name: 'computer' }] }, 'computer-use-2025-11-24'],
    [{ tools: [{ name: 'a', input_examples: [{}] }] }, 'tool-examples-2025-10-29'],
    [{ context_management: { edits: [] } }, 'context-management-2025-06-27'],
  ])('use Amazon’s own flag, with and without the client’s: %j', (fields, flag) => {
    for (const asked of [[], ['advanced-tool-use-2025-11-20'], [flag]])
      expect(fit(fields, ...asked)).toEqual({ body: { messages, ...fields, anthropic_beta: [flag] }, dropped: [] });
  });

  it('removes and reports beta features for which Amazon has no flag', () => {
    const scoped = { type: 'ephemeral', scope: 'global' };
    const text = { type: 'text', text: 'S' };
    const { body, dropped } = fit(
      {
        system: [{ ...text, cache_control: scoped }],
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 't', content: [{ ...text, cache_control: scoped }] }],
          },
        ],
        tools: [{ name: 'a', allowed_callers: ['direct'], eager_input_streaming: true, cache_control: scoped }],
      },
      'prompt-caching-scope-2026-01-05',
      'context-1m-2025-08-07',
    );
    const plain = { type: 'ephemeral' };
    expect(body).toEqual({
      system: [{ ...text, cache_control: plain }],
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ ...text, cache_control: plain }] }],
        },
      ],
      tools: [{ name: 'a', cache_control: plain }],
      anthropic_beta: ['context-1m-2025-08-07'],
    });
    expect(dropped).toEqual([
      'anthropic-beta.prompt-caching-scope-2026-01-05',
      'tools.allowed_callers',
      'tools.eager_input_streaming',
      'system.cache_control.scope',
      'tools.cache_control.scope',
      'messages.content.content.cache_control.scope',
    ]);
  });
});
