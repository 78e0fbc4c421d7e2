import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Recorded traffic belongs to others and is outside the repository. */
const defaultFolder = path.resolve(import.meta.dirname, '../../../shared/fixtures/recorded');
const folder = process.env['RECORDED_FIXTURES'] ?? defaultFolder;

export const dialects = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini'] as const;
export type Dialect = (typeof dialects)[number];
export type Json = Record<string, unknown>;

export interface Recording {
  name: string;
  dialect: Dialect;
  /** JSON payloads of the stream's events, or only the non-streaming response. */
  events: string[];
  isStream: boolean;
}

const patterns: readonly (readonly [Dialect, string])[] = [
  ['openai-chat', 'openai/chat/*'],
  ['openai-chat', 'azure/azure-deepseek-*'],
  ['openai-chat', 'deepseek/chat/*'],
  ['openai-chat', 'groq/*'],
  ['openai-chat', 'alibaba/*'],
  ['openai-chat', 'mistral/*'],
  ['openai-chat', 'moonshotai/*'],
  ['openai-chat', 'openai-compatible/chat/*'],
  ['openai-chat', 'perplexity/*'],
  ['openai-chat', 'xai/*'],
  ['anthropic-messages', 'anthropic/*'],
  ['openai-responses', 'openai/responses/*'],
  ['openai-responses', 'azure/azure-[!d]*'],
  ['openai-responses', 'azure/openai-*'],
  ['openai-responses', 'open-responses/responses/*'],
  ['openai-responses', 'xai/responses/*'],
  ['gemini', 'google/*'],
  ['gemini', 'google-vertex/*'],
];

/**
 * Errors and other operations are in the same folders. Two more are left out: one has events that are no JSON, and in
 * the other, xAI's own tools look like calls of the client's.
 */
const other = /error|transcription|embedding|-429-|parallel-tool-call-wrapper.*chunks|x-search/;
const anthropicErrorFile = /web-fetch-tool\.error/;

export const hasRecordings = existsSync(folder);

export const recordings: readonly Recording[] = hasRecordings
  ? patterns.flatMap(([dialect, pattern]) =>
      globSync(`${pattern}.{chunks.txt,json,sse}`, { cwd: folder })
        .filter((name) => !other.test(name) || anthropicErrorFile.test(name))
        .toSorted()
        .map((name) => readRecording(dialect, name)),
    )
  : [];

function readRecording(dialect: Dialect, name: string): Recording {
  const text = readFileSync(path.join(folder, name), 'utf8');
  if (name.endsWith('.json')) return { name, dialect, events: [text], isStream: false };
  const lines = text.split('\n').map((line) => line.replace(/^data: /, '').trim());
  const events = lines.filter((line) => line.startsWith('{'));
  return { name, dialect, events: takeFirstResponse(events), isStream: true };
}

/** Some files hold the responses of several calls, one after the other. */
function takeFirstResponse(events: string[]): string[] {
  const end = events.findIndex((event) => /"type":"(message_stop|response\.completed)"/.test(event));
  return end === -1 ? events : events.slice(0, end + 1);
}

/** The bytes as the vendor would have sent them. */
export function buildBody(recording: Recording): Buffer {
  if (!recording.isStream) return Buffer.from(recording.events.join(''));
  const framed = recording.events.map((event) => formatFrame(recording.dialect, event));
  if (recording.dialect === 'openai-chat') framed.push('data: [DONE]\n\n');
  return Buffer.from(framed.join(''));
}

/** Google's lines end with CRLF. */
function formatFrame(dialect: Dialect, event: string): string {
  if (dialect === 'gemini') return `data: ${event}\r\n\r\n`;
  const data = `data: ${event}\n\n`;
  return dialect === 'anthropic-messages' ? `event: ${String(JSON.parse(event).type)}\n${data}` : data;
}
