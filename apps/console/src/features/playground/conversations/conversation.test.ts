import { conversationContent } from '@switchyard/contract/playground/conversation';
import { expect, it } from 'vitest';
import { initialSettings } from '../composer/build-requests.ts';
import { sampleToolCall, sampleTurn } from '../playground.samples.ts';
import { deriveTitle, newAnswer, nextTitle, retryAnswer, type Turn, toStoredTurns } from './conversation.ts';

it('keeps earlier rounds only for the retry of a failed response', () => {
  const rounds = [{ text: '', reasoning: '', toolCalls: [sampleToolCall('21')] }];
  const failed: Turn = { ...sampleTurn('x'), answers: [{ ...newAnswer('m', rounds), state: 'failed' }], chosen: 0 };
  expect(retryAnswer(failed, 0, undefined).answers[0]?.rounds).toEqual(rounds);
  const done: Turn = { ...failed, answers: [{ ...newAnswer('m', rounds), state: 'done' }] };
  expect(retryAnswer(done, 0, 'other').answers[0]).toMatchObject({ model: 'other', rounds: [] });
});

it('stores the number of generated images instead of the images', () => {
  const pictures: Turn = {
    ...sampleTurn('a cat', ''),
    for: 'pictures',
    answers: [{ ...newAnswer('m'), state: 'done', pictures: ['data:image/png;base64,AAAA', 'https://x.example/a'] }],
  };
  const [kept] = toStoredTurns([pictures]);
  expect(kept?.answers[0]).toMatchObject({ files: 2 });
  expect(JSON.stringify(kept)).not.toContain('AAAA');
  // Saving an opened conversation again must keep the number of files.
  expect(toStoredTurns(kept === undefined ? [] : [kept])[0]?.answers[0]?.files).toBe(2);
});

it('stores what the contract accepts, with running responses as stopped', () => {
  const running = { ...sampleTurn('x'), answers: [newAnswer('m')] };
  const content = { settings: initialSettings, turns: toStoredTurns([running]) };
  expect(conversationContent.parse(content)).toEqual(content);
  expect(content.turns[0]?.answers[0]?.state).toBe('stopped');
});

it.each([
  [' What is\n the capital ', 'What is the capital'],
  ['word '.repeat(30), `${'word '.repeat(12).trim()}…`],
  ['字'.repeat(80), `${'字'.repeat(60)}…`],
  ['', ''],
])('derives the title from the first words of %j', (text, title) => {
  expect(deriveTitle([sampleTurn(text)])).toBe(title);
});

it('numbers the copies of a title and keeps its maximum length', () => {
  expect(nextTitle('Trip')).toBe('Trip (2)');
  expect(nextTitle('Trip (2)')).toBe('Trip (3)');
  expect(nextTitle('x'.repeat(120))).toHaveLength(120);
});

it('stores documents and the names of recordings', () => {
  const document = { name: 'b.pdf', data: 'data:application/pdf;base64,AQID' };
  const recording = { name: 'c.ogg', data: 'data:audio/ogg;base64,AQID' };
  const [kept] = toStoredTurns([{ ...sampleTurn('Sum up'), files: [document, recording] }]);
  expect(kept?.files).toEqual([document, { name: 'c.ogg' }]);
});

it('reads a conversation from before attachments existed', () => {
  const { files: _none, ...before } = sampleTurn('Why?', 'Because.');
  const content = conversationContent.parse({ settings: initialSettings, turns: [before] });
  expect(content.turns[0]?.files).toEqual([]);
});
