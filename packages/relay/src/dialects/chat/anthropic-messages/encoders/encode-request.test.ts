import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../../model/conversation.ts';
import { decodeTools } from '../decoders/decode-request.ts';
import { encodeTools } from './encode-request.ts';

function encode(fields: Partial<Conversation>): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  const base = { system: [], turns: [], tools: [], vendorTools: [], unsupported: [] };
  return { body: encodeTools({ ...base, ...fields }, { isThinking: false, takesStrict: true }, dropped), dropped };
}

describe('vendor tools', () => {
  it.each([
    ['web_search_20250305', 'web-search'],
    ['web_search_20260209', 'web-search'],
    ['web_search_20300101', 'web-search'],
    ['code_execution_20250522', 'code-execution'],
    ['web_fetch_20260318', 'url-fetch'],
  ])('are known in any version: %s', (type, expected) => {
    expect(decodeTools([{ type }], []).vendorTools).toMatchObject([{ type: expected }]);
  });

  it('report the options that only their vendor supports', () => {
    const unsupported: string[] = [];
    const { vendorTools } = decodeTools(
      [
        { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, allowed_domains: ['a.test'] },
        { type: 'web_search_20260209', allowed_callers: ['direct'], allowed_domains: ['a.test', 7] },
        { type: 'bash_20250124', name: 'bash' },
        { name: 'f', input_schema: {}, defer_loading: true },
      ],
      unsupported,
    );
    expect(vendorTools).toEqual([
      { type: 'url-fetch', maxUses: 2 },
      { type: 'web-search', allowedDomains: ['a.test'] },
    ]);
    expect(unsupported).toEqual([
      'tools.web_fetch.allowed_domains',
      'tools.web_search.allowed_callers',
      'tools.bash_20250124',
      'tools.custom.defer_loading',
    ]);
  });

  it('keep allowed or blocked domains, and the amount of results', () => {
    const { body, dropped } = encode({
      vendorTools: [{ type: 'web-search', allowedDomains: ['a'], blockedDomains: ['b'], contextSize: 'high' }],
    });
    expect(body['tools']).toEqual([{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a'] }]);
    expect(dropped).toEqual(['web_search_options.search_context_size', 'tools.web_search.blocked_domains']);
  });

  it('can be called beside tools that only the history declares', () => {
    const parts = [{ type: 'tool-call' as const, callId: 'c', name: 'f', arguments: '{}' }];
    const { body } = encode({ vendorTools: [{ type: 'code-execution' }], turns: [{ role: 'assistant', parts }] });
    expect(body).toMatchObject({ tools: [{ name: 'f' }, { name: 'code_execution' }] });
    expect(body).not.toHaveProperty('tool_choice');
  });
});
