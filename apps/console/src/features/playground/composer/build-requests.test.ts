import { expect, it } from 'vitest';
import { addToolResults, newAnswer, type Turn } from '../conversations/conversation.ts';
import { sampleToolCall, sampleTurn } from '../playground.samples.ts';
import { buildMessages, chatRequest, imageRequest, initialSettings, speechRequest } from './build-requests.ts';

it('sends no unset parameters', () => {
  expect(chatRequest({ ...initialSettings, stream: false }, 'm', [sampleTurn('hi')], 0)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  });
});

it('sends set parameters, even if they are zero', () => {
  const settings = { ...initialSettings, system: 'Be brief', temperature: 0, maxTokens: 5, stop: ['END'], json: true };
  expect(chatRequest(settings, 'm', [sampleTurn('hi')], 0)).toEqual({
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

it('sends each column its own history without the response that is requested', () => {
  const turns = [sampleTurn('one', 'left', 'right'), sampleTurn('two', 'old left', 'old right')];
  expect(chatRequest(initialSettings, 'm', turns, 1).messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'right' },
    { role: 'user', content: 'two' },
  ]);
  // A column that was added later continues the first one's conversation.
  expect(chatRequest(initialSettings, 'm', turns, 2).messages[1]).toEqual({ role: 'assistant', content: 'left' });
});

it('sends tool calls back with their results and continues from them', () => {
  const asked = sampleToolCall();
  const answer = addToolResults(
    { ...newAnswer('m'), text: 'Let me see.', toolCalls: [asked] },
    new Map([[asked, '21']]),
  );
  expect(answer).toMatchObject({ state: 'running', text: '', toolCalls: [] });
  expect(buildMessages([{ ...sampleTurn('weather?'), answers: [answer] }], 0)).toEqual([
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
  const unanswered = sampleTurn('one', '');
  const answers = unanswered.answers.map((answer) => ({ ...answer, toolCalls: [sampleToolCall()] }));
  expect(buildMessages([{ ...unanswered, answers }, sampleTurn('two')], 0)).toEqual([
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ]);
});

it('makes all columns continue from the chosen response', () => {
  const turns = [{ ...sampleTurn('one', 'left', 'right'), chosen: 1 }, sampleTurn('two')];
  for (const column of [0, 1, 2])
    expect(buildMessages(turns, column)[1]).toEqual({ role: 'assistant', content: 'right' });
});

it('leaves images and speech out of chat', () => {
  const pictures: Turn = {
    ...sampleTurn('a cat', ''),
    for: 'pictures',
    answers: [{ ...newAnswer('m'), state: 'done', pictures: ['data:image/png;base64,AAAA', 'https://x.example/a'] }],
  };
  expect(buildMessages([pictures, sampleTurn('hello')], 0)).toEqual([{ role: 'user', content: 'hello' }]);
});

it('sends documents and audio beside the text in their own format', () => {
  const files = [
    { name: 'a.md', data: 'data:text/plain;base64,IyBow6k=' },
    { name: 'b.pdf', data: 'data:application/pdf;base64,AQID' },
    { name: 'c.wav', data: 'data:audio/wav;base64,AQID' },
    { name: 'gone.mp3' },
  ];
  expect(buildMessages([{ ...sampleTurn('Sum up'), files }], 0)).toEqual([
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

const tool = { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } };

it('sends tools and the tool choice, but no choice of a removed tool', () => {
  const settings = { ...initialSettings, tools: [tool], toolChoice: { name: 'get_weather' } };
  expect(chatRequest(settings, 'm', [sampleTurn('hi')], 0)).toMatchObject({
    tools: [{ type: 'function', function: tool }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  });
  const gone = chatRequest({ ...settings, toolChoice: { name: 'other' } }, 'm', [sampleTurn('hi')], 0);
  expect(gone).not.toHaveProperty('tool_choice');
  expect(chatRequest({ ...settings, tools: [] }, 'm', [sampleTurn('hi')], 0)).not.toHaveProperty('tool_choice');
});

it('requests images and speech in OpenAI’s format', () => {
  const settings = { ...initialSettings, pictureSize: '1024x1024', pictureCount: 2, speed: 1.5 };
  expect(imageRequest(settings, 'gpt-image-2', 'a cat')).toEqual({
    model: 'gpt-image-2',
    prompt: 'a cat',
    n: 2,
    size: '1024x1024',
  });
  expect(imageRequest(initialSettings, 'dall-e-3', 'a cat').response_format).toBe('b64_json');
  expect(speechRequest(settings, 'tts-1', 'hi')).toEqual({ model: 'tts-1', input: 'hi', voice: 'alloy', speed: 1.5 });
});
