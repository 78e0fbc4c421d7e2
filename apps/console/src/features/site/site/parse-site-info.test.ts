import { siteInfo } from '@switchyard/contract/operations/site-info';
import { expect, it } from 'vitest';
import { wireSite } from '../../../testing/wire-samples.ts';
import { siteFrom } from './parse-site-info.ts';

it('accepts what the contract accepts', () => {
  expect(siteFrom(wireSite)).toEqual(siteInfo.parse(wireSite));
});

it.each(Object.keys(siteInfo.shape))('rejects a site with an invalid %s, like the contract', (name) => {
  const broken = { ...wireSite, [name]: null };
  expect(siteInfo.safeParse(broken).success).toBe(false);
  expect(siteFrom(broken)).toBeUndefined();
});

it.each([undefined, null, 'text', 4, []])('rejects %j', (data) => {
  expect(siteFrom(data)).toBeUndefined();
});
