/** OpenAI's images, audio, transcripts and moderations, and reranking like Jina. */

import type { Behaviour } from './behaviour.ts';
import { errorFormat, formatData } from './openai-answers.ts';
import {
  generateTokens,
  getReportedUsage,
  type ParsedRequest,
  type ReportedUsage,
  type ScriptedResponse,
} from './scripted-response.ts';

const CREATED = 1_760_000_000;
/** An image of one pixel. */
export const SAMPLE_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const SECONDS = 7.2;

const json = (body: unknown): ScriptedResponse => ({
  contentType: 'application/json',
  pieces: [JSON.stringify(body)],
  error: errorFormat,
});
const events = (pieces: string[]): ScriptedResponse => ({
  contentType: 'text/event-stream',
  pieces,
  error: errorFormat,
});

function formatUsage(usage: ReportedUsage | undefined, details: object = {}) {
  if (usage === undefined) return {};
  const { input, output } = usage;
  return { usage: { input_tokens: input, output_tokens: output, total_tokens: input + output, ...details } };
}

/** Models with these names report tokens, as with OpenAI. */
export function createImageResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = asked.model.includes('gpt-image') ? getReportedUsage(behaviour, asked) : undefined;
  const kind = usage === undefined ? {} : { size: '1024x1024', quality: 'medium', output_format: 'png' };
  const reported = formatUsage(usage, { input_tokens_details: { text_tokens: usage?.input, image_tokens: 0 } });
  if (!asked.stream)
    return json({
      created: CREATED,
      data: Array.from({ length: asked.choices }, () => ({ b64_json: SAMPLE_IMAGE })),
      ...kind,
      ...reported,
    });
  const event = (name: string, more: object) =>
    `event: image_generation.${name}\n${formatData({ type: `image_generation.${name}`, b64_json: SAMPLE_IMAGE, created_at: CREATED, ...kind, ...more })}`;
  return events([
    event('partial_image', { partial_image_index: 0 }),
    event('partial_image', { partial_image_index: 1 }),
    event('completed', reported),
  ]);
}

/** Two seconds of silence as WAV, of a rate and a length that need no byte above 127. */
const SILENCE_WAV =
  'RIFF\x24\x7f\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\x20\0\0\0\x40\0\0\x02\0\x10\0data\0\x7f\0\0' + '\0'.repeat(0x7f00);

/** As many audio pieces as tokens, not playable; as WAV, silence. */
export function createSpeechResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const pieces = generateTokens(behaviour.tokens);
  if (asked.responseFormat === 'wav') return { contentType: 'audio/wav', pieces: [SILENCE_WAV], error: errorFormat };
  if (asked.streamFormat !== 'sse') return { contentType: 'audio/mpeg', pieces, error: errorFormat };
  return events([
    ...pieces.map((piece) => formatData({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })),
    formatData({ type: 'speech.audio.done', ...formatUsage(getReportedUsage(behaviour, asked)) }),
  ]);
}

export function createTranscriptResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const words = generateTokens(behaviour.tokens);
  const text = words.join('');
  const isWhisper = asked.model.includes('whisper');
  const details = { type: 'tokens', input_token_details: { text_tokens: 0, audio_tokens: asked.inputTokens } };
  const usage = isWhisper
    ? { usage: { type: 'duration', seconds: Math.ceil(SECONDS) } }
    : formatUsage(getReportedUsage(behaviour, asked), details);
  if (asked.responseFormat === 'verbose_json')
    return json({ task: 'transcribe', language: 'english', duration: SECONDS, text, segments: [] });
  if (['text', 'srt', 'vtt'].includes(asked.responseFormat))
    return { contentType: 'text/plain; charset=utf-8', pieces: [`${text}\n`], error: errorFormat };
  if (!asked.stream || isWhisper) return json({ text, ...usage });
  return events([
    ...words.map((delta) => formatData({ type: 'transcript.text.delta', delta })),
    formatData({ type: 'transcript.text.done', text, ...usage }),
  ]);
}

export function createModerationResponse(_behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const results = Array.from({ length: asked.inputs }, () => ({
    flagged: false,
    categories: { violence: false },
    category_scores: { violence: 0.01 },
    category_applied_input_types: { violence: ['text'] },
  }));
  return json({ id: 'modr-scripted', model: asked.model, results });
}

export function createRerankResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = getReportedUsage(behaviour, asked);
  return json({
    model: asked.model,
    results: [{ index: 0, relevance_score: 0.9, document: { text: 'first' } }],
    ...(usage === undefined ? {} : { usage: { total_tokens: usage.input } }),
  });
}
