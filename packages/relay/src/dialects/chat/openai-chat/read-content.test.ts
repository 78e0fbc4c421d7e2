import { describe, expect, it } from 'vitest';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { decodeResponse } from './decode-response.ts';

function read(
  message: Record<string, unknown>,
  beside: Record<string, unknown> = {},
): { events: ResponseEvent[]; lost: string[] } {
  const lost = new Set<string>();
  const events = decodeResponse({ ...beside, choices: [{ message, finish_reason: 'stop' }] }, lost);
  return { events: events.slice(1, -1), lost: [...lost] };
}

describe('citations', () => {
  it('reads citations from annotations and repairs their ranges', () => {
    const annotation = (fields: object): unknown => ({ type: 'url_citation', url_citation: fields });
    const { events, lost } = read({
      content: 'abc',
      annotations: [
        annotation({ url: 'https://a.test', title: 'A', start_index: 1, end_index: 2 }),
        annotation({ url: 'https://b.test', start_index: -5, end_index: 1e300 }),
        { type: 'url_citation', url: 'https://c.test', start_index: 3, end_index: 1 },
        { type: 'file_citation' },
      ],
    });
    expect(events.slice(1)).toMatchObject([
      { type: 'citation', citation: { url: 'https://a.test', title: 'A', start: 1, end: 2 } },
      { citation: { url: 'https://b.test', start: 0, end: 3 } },
      { citation: { url: 'https://c.test', start: 3, end: 3 } },
    ]);
    expect(lost).toEqual(['annotations.file_citation']);
  });

  it('beside the choices apply to the whole text once', () => {
    const citations = ['https://a.test', 1];
    expect(read({ content: '🐻' }, { citations }).events.slice(1)).toEqual([
      { type: 'citation', citation: { url: 'https://a.test', start: 0, end: 2 } },
    ]);
    const search_results = [{ url: 'https://a.test', title: 'A' }, { title: 'no address' }];
    expect(read({ content: 'x' }, { citations, search_results }).events.slice(1)).toMatchObject([
      { citation: { title: 'A', start: 0, end: 1 } },
    ]);
    const annotations = [{ type: 'url_citation', url_citation: { url: 'https://b.test' } }];
    expect(read({ content: 'x', annotations }, { citations }).events.slice(1)).toMatchObject([
      { citation: { url: 'https://b.test' } },
    ]);
  });
});

describe('images and audio', () => {
  it('reads images and audio as base64 and ignores image URLs', () => {
    const image = (url: unknown): unknown => ({ type: 'image_url', image_url: { url } });
    const images = [image('data:image/webp;base64,AAAA'), image('https://a.test/b.png'), image('data:,x'), image(1)];
    const { events, lost } = read({ images });
    expect(events).toEqual([{ type: 'image', mediaType: 'image/webp', data: 'AAAA' }]);
    expect(lost).toEqual(['images.url']);
  });

  it.each([
    ['UklGRgAA', 'audio/wav'],
    ['SUQzBAAA', 'audio/mpeg'],
    ['AAAAAAAA', 'audio/pcm'],
  ])('of type %s are read as %s, and their transcript as text', (data, mediaType) => {
    expect(read({ content: null, audio: { id: 'a', data, transcript: 'hi' } }).events).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'audio', mediaType, data },
    ]);
  });
});

it('ignores invalid log probabilities', () => {
  const content = [
    { token: 'a', logprob: -0.5, bytes: [97, 'x'], top_logprobs: [{ token: 'b', logprob: -1 }, 7] },
    { token: 1, logprob: -1 },
    { token: 'c', logprob: null },
  ];
  const events = decodeResponse({ choices: [{ message: {}, logprobs: { content } }] }, new Set());
  expect(events[1]).toEqual({
    type: 'logprobs',
    tokens: [{ token: 'a', logprob: -0.5, bytes: [97], top: [{ token: 'b', logprob: -1 }] }],
  });
});
