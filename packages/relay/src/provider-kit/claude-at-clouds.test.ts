import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { moveRootCacheMark } from './claude-at-clouds.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const text = { type: 'text', text: 'hi' };

describe('a cache mark at the root of a request', () => {
  it.each<[string, unknown, unknown, readonly string[]]>([
    ['a text', 'hi', [{ ...text, ...mark }], []],
    [
      'blocks',
      [{ ...text, text: 'a' }, text],
      [
        { ...text, text: 'a' },
        { ...text, ...mark },
      ],
      [],
    ],
    [
      'a marked block',
      [{ ...text, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      [{ ...text, cache_control: { type: 'ephemeral', ttl: '1h' } }],
      [],
    ],
    ['a thought', [{ type: 'thinking', thinking: 't' }], [{ type: 'thinking', thinking: 't' }], ['cache_control']],
    ['nothing', [], [], ['cache_control']],
    ['an empty text', '', '', ['cache_control']],
  ])('moves to the last message at the clouds, with %s', (_name, content, marked, expected) => {
    const dropped: string[] = [];
    const target = sampleTarget('bedrock', { model: 'anthropic.claude-sonnet-4-6' });
    const body = moveRootCacheMark(
      { ...mark, messages: [{ role: 'user', content }] },
      target,
      dropped,
      'anthropic-messages',
    );
    expect(body).toEqual({ messages: [{ role: 'user', content: marked }] });
    expect(dropped).toEqual(expected);
  });

  it.each([
    ['bedrock', 'anthropic.claude-sonnet-4-6', false],
    ['anthropic', 'claude-sonnet-4-6', true],
  ])('is sent to %s, %s, unchanged: %s', (provider, model, isThere) => {
    const { body } = planExchange(
      sampleRequest('anthropic-messages', { ...mark, max_tokens: 5 }),
      sampleTarget(provider, { model }),
    );
    const sent: unknown = JSON.parse(body.toString());
    expect(sent).toHaveProperty(isThere ? 'cache_control' : ['messages', 0, 'content', 0, 'cache_control']);
  });
});
