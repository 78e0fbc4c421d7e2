import { describe, expect, it } from 'vitest';
import { listOf } from '../../../json/json.ts';
import type { ResponseEvent, VendorCall } from '../../../model/conversation.ts';
import { sampleRequest } from '../../../testing/sample-requests.ts';
import { encodeResponse } from './encoders/encode-response.ts';

const citation = { url: 'https://a.test', title: 'A', start: 0, end: 5 };
const events: ResponseEvent[] = [
  { type: 'text', text: 'Hello' },
  { type: 'citation', citation },
  { type: 'citation', citation: { ...citation, start: 1 } },
  { type: 'finish', reason: 'stop' },
];

/** Returns the result of a search as the client reads it. */
function found(call: Partial<VendorCall>): unknown {
  const search: VendorCall = { tool: 'web-search', callId: 'c', input: 'q', ...call };
  const { content } = encodeResponse(
    [{ type: 'vendor-call', call: search }, ...events],
    sampleRequest('anthropic-messages'),
    new Set(),
  );
  return listOf(content)[1];
}

const result = (url: string, title: string): object => ({
  type: 'web_search_result',
  url,
  title,
  encrypted_content: '',
  page_age: null,
});

describe('search results', () => {
  it('lists the pages that the vendor reports', () => {
    const sources = [{ url: 'https://b.test', title: 'B' }];
    expect(found({ sources })).toMatchObject({ content: [result('https://b.test', 'B')] });
  });

  it('lists the cited pages if the vendor reports none', () => {
    expect(found({})).toMatchObject({ content: [result('https://a.test', 'A')] });
    expect(found({ sources: [] })).toMatchObject({ content: [result('https://a.test', 'A')] });
  });

  it('writes a failed search as an error', () => {
    expect(found({ isError: true })).toMatchObject({ content: { error_code: 'unavailable' } });
  });
});
