import { expect, it } from 'vitest';
import { newAnswer, type Turn } from '../conversations/conversation.ts';
import { anthropicBody, geminiRequest } from '../snippets/anthropic-and-gemini-bodies.ts';
import { type Dialect, dialects, requestSnippets, transcriptSnippets } from '../snippets/request-snippets.ts';
import {
  type ChatRequest,
  chatRequest,
  imageRequest,
  initialSettings,
  speechRequest,
  transcriptRequest,
} from './build-requests.ts';

const picture = 'data:image/png;base64,AAAA';
const turn = (text: string, ...answers: string[]): Turn => ({
  id: text,
  for: 'text',
  text,
  images: [],
  files: [],
  answers: answers.map((answer) => ({ ...newAnswer('m'), text: answer, state: 'done' })),
});

it('sends no unset parameters', () => {
  expect(chatRequest({ ...initialSettings, stream: false }, 'm', [turn('hi')], 0)).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  });
});

it('sends set parameters, even if they are zero', () => {
  const settings = { ...initialSettings, system: 'Be brief', temperature: 0, maxTokens: 5, stop: ['END'], json: true };
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

it('sends each column its own history without the response that is requested', () => {
  const turns = [turn('one', 'left', 'right'), turn('two', 'old left', 'old right')];
  expect(chatRequest(initialSettings, 'm', turns, 1).messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'right' },
    { role: 'user', content: 'two' },
  ]);
  // A column that was added later continues the first one's conversation.
  expect(chatRequest(initialSettings, 'm', turns, 2).messages[1]).toEqual({ role: 'assistant', content: 'left' });
});

const tool = { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } };
const codes = (request: ChatRequest, dialect: Dialect) =>
  requestSnippets('https://ai.example.com', request, dialect).map(({ code }) => code);

it('sends tools and the tool choice, but no choice of a removed tool', () => {
  const settings = { ...initialSettings, tools: [tool], toolChoice: { name: 'get_weather' } };
  expect(chatRequest(settings, 'm', [turn('hi')], 0)).toMatchObject({
    tools: [{ type: 'function', function: tool }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  });
  const gone = chatRequest({ ...settings, toolChoice: { name: 'other' } }, 'm', [turn('hi')], 0);
  expect(gone).not.toHaveProperty('tool_choice');
  expect(chatRequest({ ...settings, tools: [] }, 'm', [turn('hi')], 0)).not.toHaveProperty('tool_choice');
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

it.each(dialects)('writes the request as code in the dialect of %s, without key and file contents', (dialect) => {
  const request = chatRequest(
    { ...initialSettings, json: true, system: "it's", tools: [tool] },
    'm',
    [
      {
        ...turn("it's"),
        images: [picture],
        files: [
          { name: 'a.pdf', data: `data:application/pdf;base64,${'A'.repeat(99)}=` },
          { name: 'a.wav', data: `data:audio/wav;base64,${'A'.repeat(99)}=` },
        ],
      },
    ],
    0,
  );
  const [curl = '', python = '', javascript = ''] = codes(request, dialect);
  expect(curl).toContain(String.raw`it'\''s`);
  expect(python).toContain('os.environ["API_KEY"]');
  expect(javascript).toContain('process.env.API_KEY');
  for (const code of [curl, python, javascript]) {
    expect(code).toContain('export API_KEY=YOUR_API_KEY');
    expect(code).toContain('get_weather');
    expect(code).not.toContain('AAAA');
  }
});

it('formats tool calls and their results for each dialect', () => {
  const round = {
    text: '',
    reasoning: '',
    toolCalls: [{ place: 0, id: 'c1', name: 'get_weather', arguments: '{"city":"Bern"}', result: '21' }],
  };
  const asked = { ...turn('weather?'), answers: [newAnswer('m', [round])] };
  const request = chatRequest({ ...initialSettings, maxTokens: 9, stream: false }, 'm', [asked], 0);
  expect(anthropicBody(request)).toEqual({
    model: 'm',
    max_tokens: 9,
    messages: [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Bern' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '21' }] },
    ],
  });
  expect(geminiRequest(request)).toMatchObject({
    contents: [
      { role: 'user', parts: [{ text: 'weather?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: { city: 'Bern' } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { result: '21' } } }] },
    ],
    settings: { maxOutputTokens: 9 },
  });
});

it('writes a transcription request with its parameters as code', () => {
  const request = transcriptRequest({ ...initialSettings, language: 'en' }, 'm', "@it's");
  const [curl = '', python = '', javascript = ''] = transcriptSnippets('https://a.example', request, 'a b.ogg').map(
    ({ code }) => code,
  );
  expect(curl).toContain(String.raw`--form-string 'prompt=@it'\''s'`);
  expect(curl).toContain(`-F 'file=@"a b.ogg"'`);
  expect(python).toContain('open("a b.ogg", "rb")');
  expect(python).toContain('language="en",');
  expect(javascript).toContain('createReadStream("a b.ogg")');
});

it('writes Python values', () => {
  const [, python = ''] = codes(chatRequest(initialSettings, 'm', [turn('true')], 0), 'OpenAI');
  expect(python).toContain('stream=True,');
  expect(python).toContain('"content": "true",');
});
