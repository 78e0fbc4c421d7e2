import { siteInfo } from '@switchyard/contract/operations/status';
import { expect, it } from 'vitest';
import { wireSite } from '../../../testing/samples.ts';
import { siteFrom } from './queries.ts';

it('takes what the contract takes', () => {
  expect(siteFrom(wireSite)).toEqual(siteInfo.parse(wireSite));
});

it.each(Object.keys(siteInfo.shape))('refuses a site without a sound %s, as the contract does', (name) => {
  const broken = { ...wireSite, [name]: null };
  expect(siteInfo.safeParse(broken).success).toBe(false);
  expect(siteFrom(broken)).toBeUndefined();
});

it.each([undefined, null, 'text', 4, []])('refuses %j', (data) => {
  expect(siteFrom(data)).toBeUndefined();
});
