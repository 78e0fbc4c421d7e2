import { expect, it } from 'vitest';
import { listOf, objectOf } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { sampleRequest } from '../../../../testing/sample-requests.ts';
import { encodeResponse } from './encode-response.ts';

/** Returns the number of results of each search. */
function countResults(searches: number, citations: number): number[] {
  const events: ResponseEvent[] = [{ type: 'text', text: 'A text.' }];
  for (let nth = 0; nth < searches; nth++)
    events.unshift({ type: 'vendor-call', call: { tool: 'web-search', callId: `c${nth}`, input: 'q' } });
  for (let nth = 0; nth < citations; nth++)
    events.push({ type: 'citation', citation: { url: `https://a.test/${nth}`, title: 'A', start: 0, end: 7 } });
  const request = sampleRequest('anthropic-messages', { max_tokens: 9 });
  const { content } = encodeResponse(events, request, new Set<string>());
  const results = listOf(content)
    .map(objectOf)
    .filter((block) => block['type'] === 'web_search_tool_result');
  return results.map((block) => listOf(block['content']).length);
}

it('adds the cited sources to each search without results', () => {
  expect(countResults(2, 3)).toEqual([3, 3]);
});

it('adds at most 10,000 cited sources to all searches together', () => {
  expect(countResults(5, 4_000)).toEqual([4_000, 4_000, 2_000, 0, 0]);
});
