import { expect, it } from 'vitest';
import { chatRequest, initialSettings } from './chat-request.ts';
import { newAnswer, type Turn } from './conversation.ts';
import { requestSnippets } from './request-snippets.ts';

const picture = 'data:image/png;base64,AAAA';
const turn = (text: string, ...answers: string[]): Turn => ({
  id: text,
  for: 'text',
  text,
  images: [],
  answers: answers.map((answer) => ({ ...newAnswer('m'), text: answer, state: 'done' })),
});

it('sends nothing that is not set', () => {
  expect(chatRequest({ ...initialSettings, stream: false }, 'm', [turn('hi')], 0)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  });
});

it('sends what is set, also when it is zero', () => {
  const settings = {
    ...initialSettings,
    system: 'Be brief',
    temperature: 0,
    maxTokens: 5,
    stop: ['END'],
    json: true,
  };
  expect(chatRequest(settings, 'm', [turn('hi')], 0)).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'hi' },
    ],
    stream: true,
    temperature: 0,
    max_tokens: 5,
    stop: ['END'],
    response_format: { type: 'json_object' },
  });
});

it('gives each column its own history, and never the answer that is asked for', () => {
  const turns = [turn('one', 'left', 'right'), turn('two', 'old left', 'old right')];
  expect(chatRequest(initialSettings, 'm', turns, 1).messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'right' },
    { role: 'user', content: 'two' },
  ]);
  // A column that came later continues the first one's conversation.
  expect(chatRequest(initialSettings, 'm', turns, 2).messages[1]).toEqual({
    role: 'assistant',
    content: 'left',
  });
});

it('writes the request as code that a shell and Python read, with a key to fill in and pictures shortened', () => {
  const request = chatRequest(
    { ...initialSettings, json: true },
    'm',
    [{ ...turn("it's"), images: [picture] }],
    0,
  );
  const [curl, python, javascript] = requestSnippets('https://ai.example.com', request).map(
    ({ code }) => code,
  );
  expect(curl).toContain(String.raw`it'\''s`);
  expect(python).toContain('stream=True,');
  expect(python).toContain('"url": "data:image/png;base64,…"');
  for (const code of [curl, python, javascript]) {
    expect(code).toContain('YOUR_API_KEY');
    expect(code).not.toContain('AAAA');
  }
});
