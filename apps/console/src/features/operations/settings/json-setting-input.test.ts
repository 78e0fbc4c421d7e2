import { expect, it } from 'vitest';
import { readJsonSetting } from './json-setting-input.tsx';

it('accepts valid values of a setting', () => {
  const link = { name: 'Chat', url: 'https://chat.example/{key}', show: true, sort: 1 };
  expect(readJsonSetting('chatLinks', JSON.stringify([link]))).toBeUndefined();
  expect(readJsonSetting('modelFallbacks', '{"gpt-4o": ["gpt-4.1"]}')).toBeUndefined();
});

it('reports the path of an invalid value and the line of invalid JSON', () => {
  const script = { name: 'Chat', url: 'javascript:alert(1)', show: true, sort: 1 };
  expect(readJsonSetting('chatLinks', JSON.stringify([script]))).toMatchObject({ issue: { path: [0, 'url'] } });
  expect(readJsonSetting('modelFallbacks', '{"gpt-4o": "gpt-4.1"}')).toMatchObject({ issue: { path: ['gpt-4o'] } });
  expect(readJsonSetting('modelFallbacks', '{\n"a": [\n')).toHaveProperty('line');
});
