import { expect, it } from 'vitest';
import { type Blocks, growBlocks } from './markdown-blocks.ts';

const text = [
  'One\ntwo\n\n- a\n\n- b\n\n```ts title\nconst x = 1;\n```\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\nEnd **bold** text\n',
].join('');

it('returns the same blocks in steps as at once', () => {
  let grown: Blocks | undefined;
  for (let end = 1; end <= text.length; end += 1) grown = growBlocks(grown, text.slice(0, end));
  const whole = growBlocks(undefined, text);
  expect([...(grown?.settled ?? []), ...(grown?.open ?? [])]).toEqual([...whole.settled, ...whole.open]);
  expect(whole.settled).toContainEqual(expect.objectContaining({ kind: 'code', code: 'const x = 1;', language: 'ts' }));
});

it('keeps the identity of settled blocks, so that they do not render again', () => {
  const before = growBlocks(undefined, '# Title\n\nFirst paragraph\n\nSecond');
  const after = growBlocks(before, '# Title\n\nFirst paragraph\n\nSecond one');
  expect(before.settled.length).toBeGreaterThan(0);
  for (const [index, block] of before.settled.entries()) expect(after.settled[index]).toBe(block);
});

it('starts again when the text is replaced', () => {
  const before = growBlocks(undefined, 'a\n\nb\n\nc');
  expect(growBlocks(before, 'x')).toMatchObject({ settled: [], open: [{ kind: 'prose', text: 'x' }] });
});

it('keeps text that is nested too deeply in one block', () => {
  const before = growBlocks(undefined, `a\n\n${'>'.repeat(40)}`);
  const after = growBlocks(before, `a\n\n${'>'.repeat(6000)} b`);
  expect(after.settled).toEqual(before.settled);
  expect(after.open).toEqual([{ at: 3, kind: 'prose', text: `${'>'.repeat(6000)} b` }]);
});

it('keeps every line exactly once with carriage returns', () => {
  const ending = 'a\r\n\r\nb\r\n\r\nc\r\n\r\nd';
  let grown: Blocks | undefined;
  for (let end = 1; end <= ending.length; end += 1) grown = growBlocks(grown, ending.slice(0, end));
  const texts = [...(grown?.settled ?? []), ...(grown?.open ?? [])].map((block) => ('text' in block ? block.text : ''));
  expect(texts.map((text) => text.trim())).toEqual(['a', 'b', 'c', 'd']);
});
