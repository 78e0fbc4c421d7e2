import { conversationContent } from '@switchyard/contract/playground/conversation';
import { expect, it } from 'vitest';
import { initialSettings } from '../composer/build-requests.ts';
import {
  addToolResults,
  buildMessages,
  deriveTitle,
  newAnswer,
  nextTitle,
  retryAnswer,
  type Turn,
  toStoredTurns,
} from './conversation.ts';

const call = (result?: string) => ({
  place: 0,
  id: 'call_1',
  name: 'get_weather',
  arguments: '{"city":"Bern"}',
  ...(result === undefined ? {} : { result }),
});
const turn = (text: string, ...answers: string[]): Turn => ({
  id: text,
  for: 'text',
  text,
  images: [],
  files: [],
  answers: answers.map((answer) => ({ ...newAnswer('m'), text: answer, state: 'done' })),
});

it('sends tool calls back with their results and continues from them', () => {
  const asked = call();
  const answer = addToolResults(
    { ...newAnswer('m'), text: 'Let me see.', toolCalls: [asked] },
    new Map([[asked, '21']]),
  );
  expect(answer).toMatchObject({ state: 'running', text: '', toolCalls: [] });
  expect(buildMessages([{ ...turn('weather?'), answers: [answer] }], 0)).toEqual([
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '21' },
  ]);
});

it('never sends a tool call without its result', () => {
  const unanswered = turn('one', '');
  const answers = unanswered.answers.map((answer) => ({ ...answer, toolCalls: [call()] }));
  expect(buildMessages([{ ...unanswered, answers }, turn('two')], 0)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ]);
});

it('makes all columns continue from the chosen response', () => {
  const turns = [{ ...turn('one', 'left', 'right'), chosen: 1 }, turn('two')];
  for (const column of [0, 1, 2])
    expect(buildMessages(turns, column)[1]).toEqual({ role: 'assistant', content: 'right' });
});

it('keeps earlier rounds only for the retry of a failed response', () => {
  const rounds = [{ text: '', reasoning: '', toolCalls: [call('21')] }];
  const failed: Turn = { ...turn('x'), answers: [{ ...newAnswer('m', rounds), state: 'failed' }], chosen: 0 };
  expect(retryAnswer(failed, 0, undefined).answers[0]?.rounds).toEqual(rounds);
  const done: Turn = { ...failed, answers: [{ ...newAnswer('m', rounds), state: 'done' }] };
  expect(retryAnswer(done, 0, 'other').answers[0]).toMatchObject({ model: 'other', rounds: [] });
});

it('leaves images and speech out of chat and out of storage', () => {
  const pictures: Turn = {
    ...turn('a cat', ''),
    for: 'pictures',
    answers: [{ ...newAnswer('m'), state: 'done', pictures: ['data:image/png;base64,AAAA', 'https://x.example/a'] }],
  };
  expect(buildMessages([pictures, turn('hello')], 0)).toEqual([{ role: 'user', content: 'hello' }]);
  const [kept] = toStoredTurns([pictures]);
  expect(kept?.answers[0]).toMatchObject({ files: 2 });
  expect(JSON.stringify(kept)).not.toContain('AAAA');
  // Saving an opened conversation again must keep the number of files.
  expect(toStoredTurns(kept === undefined ? [] : [kept])[0]?.answers[0]?.files).toBe(2);
});

it('stores what the contract accepts, with running responses as stopped', () => {
  const running = { ...turn('x'), answers: [newAnswer('m')] };
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
  expect(deriveTitle([turn(text)])).toBe(title);
});

it('numbers the copies of a title and keeps its maximum length', () => {
  expect(nextTitle('Trip')).toBe('Trip (2)');
  expect(nextTitle('Trip (2)')).toBe('Trip (3)');
  expect(nextTitle('x'.repeat(120))).toHaveLength(120);
});

it('sends documents and audio beside the text in their own format', () => {
  const files = [
    { name: 'a.md', data: 'data:text/plain;base64,IyBow6k=' },
    { name: 'b.pdf', data: 'data:application/pdf;base64,AQID' },
    { name: 'c.wav', data: 'data:audio/wav;base64,AQID' },
    { name: 'gone.mp3' },
  ];
  expect(buildMessages([{ ...turn('Sum up'), files }], 0)).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Sum up' },
        { type: 'text', text: 'a.md\n\n# hé' },
        { type: 'file', file: { filename: 'b.pdf', file_data: 'data:application/pdf;base64,AQID' } },
        { type: 'input_audio', input_audio: { data: 'AQID', format: 'wav' } },
      ],
    },
  ]);
});

it('stores documents and the names of recordings', () => {
  const document = { name: 'b.pdf', data: 'data:application/pdf;base64,AQID' };
  const recording = { name: 'c.ogg', data: 'data:audio/ogg;base64,AQID' };
  const [kept] = toStoredTurns([{ ...turn('Sum up'), files: [document, recording] }]);
  expect(kept?.files).toEqual([document, { name: 'c.ogg' }]);
});

it('reads a conversation from before attachments existed', () => {
  const { files: _none, ...before } = turn('Why?', 'Because.');
  const content = conversationContent.parse({ settings: initialSettings, turns: [before] });
  expect(content.turns[0]?.files).toEqual([]);
});
