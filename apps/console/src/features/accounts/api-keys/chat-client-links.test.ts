import { describe, expect, it } from 'vitest';
import { chatLinkUrl, parseChatLinks } from './chat-client-links.tsx';

const link = (url: string, more: object = {}) => ({ name: 'chat', url, show: true, sort: 0, ...more });

describe('chat links', () => {
  it('accept only web pages and known apps, never a scheme that could run in this page', () => {
    const text = JSON.stringify([
      link('https://chat.example.com/?key={key}'),
      link('opencat://team/join?token={key}'),
      link('javascript:alert(1)//{key}'),
      link('JAVASCRIPT://%0aalert(1)'),
      link('data:text/html,x'),
      link('unknown://x'),
    ]);
    expect(parseChatLinks(text).map(({ url }) => url.split(':')[0])).toEqual(['https', 'opencat']);
  });

  it('sorts them by descending sort value and keeps the order of equal ones', () => {
    const text = JSON.stringify([
      link('https://a.example', { name: 'a', sort: 1 }),
      link('https://b.example', { name: 'b', sort: 5 }),
      link('https://c.example', { name: 'c', sort: 1 }),
      link('https://d.example', { name: 'd', show: false, sort: 9 }),
    ]);
    expect(parseChatLinks(text).map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  it('returns none when the setting is invalid', () => {
    expect(parseChatLinks('')).toEqual([]);
    expect(parseChatLinks('{"name": 1}')).toEqual([]);
    expect(parseChatLinks('[1, {"name": "x"}]')).toEqual([]);
  });

  it('encode key and server, so that neither can add parameters', () => {
    const [parsed] = parseChatLinks(JSON.stringify([link('https://chat.example.com/?s={server}&k={key}')]));
    expect(parsed && chatLinkUrl(parsed, 'sk-a&b', 'https://ai.example.com')).toBe(
      'https://chat.example.com/?s=https%3A%2F%2Fai.example.com&k=sk-a%26b',
    );
  });
});
