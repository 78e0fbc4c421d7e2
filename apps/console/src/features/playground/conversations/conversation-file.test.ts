import { expect, it } from 'vitest';
import { initialSettings } from '../composer/build-requests.ts';
import { newAnswer, newTurn, toStoredTurns } from './conversation.ts';
import { fileName, markdownOf, readConversationFile } from './conversation-file.ts';

const call = { place: 0, id: 'c', name: 'f', arguments: '{"a":"```"}', result: 'ok' };
const turns = [
  newTurn({ for: 'text', text: 'Why?', images: [], files: [] }, [
    { ...newAnswer('big-one', [{ text: '', reasoning: '', toolCalls: [call] }]), text: 'Because.', state: 'done' },
  ]),
];
const exported = JSON.stringify({ settings: initialSettings, turns: toStoredTurns(turns) });

it('reads an exported file', () => {
  expect(readConversationFile(`\uFEFF${exported}`)?.turns[0]?.text).toBe('Why?');
});

it.each([
  'no JSON',
  '{}',
  '[]',
  exported.replace('"images":[]', '"images":["data:image/svg+xml;base64,PHN2Zz4="]'),
  exported.replace('"images":[]', '"images":["https://elsewhere.example/pixel.png"]'),
])('rejects %.60s', (text) => {
  expect(readConversationFile(text)).toBeUndefined();
});

it('writes Markdown whose fences are longer than those inside a call', () => {
  expect(markdownOf('Title', turns, 'Question')).toBe(
    ['# Title', '## Question', 'Why?', '### big-one', '````\nf({"a":"```"})\n→ ok\n````', 'Because.\n'].join('\n\n'),
  );
});

it('uses only letters and digits in a file name', () => {
  expect(fileName('../../etc: "passwd"', 'md')).toBe('etc-passwd.md');
  expect(fileName('你好，世界', 'json')).toBe('你好-世界.json');
  expect(fileName('???', 'json')).toBe('conversation.json');
});
