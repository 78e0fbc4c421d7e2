import { expect, it } from 'vitest';
import { type ChatRequest, chatRequest, initialSettings, transcriptRequest } from '../composer/build-requests.ts';
import { newAnswer } from '../conversations/conversation.ts';
import { sampleTurn } from '../playground.samples.ts';
import { anthropicBody, geminiRequest } from './anthropic-and-gemini-bodies.ts';
import { type Dialect, dialects, requestSnippets, transcriptSnippets } from './request-snippets.ts';

const picture = 'data:image/png;base64,AAAA';

const tool = { name: 'get_weather', description: 'Weather', parameters: { type: 'object' } };
const codes = (request: ChatRequest, dialect: Dialect) =>
  requestSnippets('https://ai.example.com', request, dialect).map(({ code }) => code);

it.each(dialects)('writes the request as code in the dialect of %s, without key and file contents', (dialect) => {
  const request = chatRequest(
    { ...initialSettings, json: true, system: "it's", tools: [tool] },
    'm',
    [
      {
        ...sampleTurn("it's"),
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
  const asked = { ...sampleTurn('weather?'), answers: [newAnswer('m', [round])] };
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
  const [, python = ''] = codes(chatRequest(initialSettings, 'm', [sampleTurn('true')], 0), 'OpenAI');
  expect(python).toContain('stream=True,');
  expect(python).toContain('"content": "true",');
});
