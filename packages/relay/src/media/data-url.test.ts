import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { parseFileUrl, toFileUrl } from './data-url.ts';

describe('parseFileUrl', () => {
  it.each([
    ['https://a.test/b', { url: 'https://a.test/b' }],
    ['data:image/png;base64,QQ==', { mediaType: 'image/png', base64: 'QQ==' }],
    ['data:text/plain;charset=utf-8;base64,QQ==', { mediaType: 'text/plain', base64: 'QQ==' }],
    ['data:,A%20B', { mediaType: 'text/plain', base64: Buffer.from('A B').toString('base64') }],
  ])('reads %s', (url, source) => {
    expect(parseFileUrl(url)).toEqual(source);
  });

  it.each(['data:image/png;base64', 'data:,%E0%A4%A'])('refuses %s', (url) => {
    expect(() => parseFileUrl(url)).toThrow(InvalidRequestError);
  });

  it('refuses a media type with thousands of parameters', () => {
    expect(() => parseFileUrl(`data:${';'.repeat(2_000)},QQ==`)).toThrow(InvalidRequestError);
  });

  it('parses a data URL so that toFileUrl restores it', () => {
    const url = 'data:application/pdf;base64,QUJD';
    expect(toFileUrl(parseFileUrl(url))).toBe(url);
  });
});
