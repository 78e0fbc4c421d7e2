import { expect, it } from 'vitest';
import { exampleTools, readTools, toolsText } from './tools-dialog.tsx';

it('parses its own samples, and empty text as no tools', () => {
  expect(readTools(toolsText(exampleTools))).toEqual({ tools: exampleTools });
  expect(readTools('  ')).toEqual({ tools: [] });
});

it.each([
  ['[{"name": "a"', 'json', /./],
  ['{"name": "a"}', 'shape', /^$/],
  ['[{"name": "a b", "parameters": {}}]', 'shape', /^0\.name$/],
  ['[{"name": "a"}]', 'shape', /^0\.parameters$/],
  ['[{"name": "a", "parameters": {}, "strict": true}]', 'shape', /^0$/],
  ['[{"name": "a", "parameters": {}}, {"name": "a", "parameters": {}}]', 'shape', /^$/],
])('explains what is wrong with %s', (text, problem, where) => {
  expect(readTools(text)).toEqual({ problem, where: expect.stringMatching(where) });
});
