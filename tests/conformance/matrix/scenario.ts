/** Requests and responses of each cell of the matrix, independent of any dialect. */
import type { Loose } from '../loose.ts';

export type DialectName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

export const dialectNames: readonly DialectName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

export interface Call {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

/** Response of the upstream's model. */
export interface UpstreamAnswer {
  reasoning?: string;
  text?: string;
  calls?: Call[];
  usage: TokenCounts;
}

/** All input tokens, cached or not; all output tokens, including reasoning. */
export interface TokenCounts {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

/** Request to an upstream, read in a simple way from its own dialect. */
export interface ReceivedRequest {
  system: string;
  /** Texts of the user, in order. */
  texts: string[];
  images: { mediaType: string; base64: string }[];
  tools: { name: string; parameters: unknown }[];
  calls: { name: string; input: unknown }[];
  results: { name: string; text: string }[];
  thinks: boolean;
  schema: unknown;
}

/** Scripted vendor: writes responses, and reads requests. */
export interface ScriptedDialect {
  formatResponse(said: UpstreamAnswer, model: string): string;
  formatEvents(said: UpstreamAnswer, model: string): string[];
  formatError(message: string): string;
  parseRequest(body: Loose): ReceivedRequest;
}

/** Response as the client's own library reads it. */
export interface ClientResult {
  text: string;
  reasoning: string;
  calls: { name: string; input: unknown }[];
  finish: 'stop' | 'tool-calls' | 'length' | 'other';
  usage: TokenCounts | undefined;
  /** Unsupported fields that the gateway reported. */
  dropped: string;
}

export interface Question {
  scenario: Scenario;
  model: string;
  stream: boolean;
}

export type Scenario =
  | 'text'
  | 'tools'
  | 'parallel tools'
  | 'tool names'
  | 'tool results'
  | 'image in'
  | 'reasoning'
  | 'structured output'
  | 'error'
  | 'cut stream';

export const SYSTEM = 'You know the weather.';
export const QUESTION = 'How is the weather in Oslo? 天气';
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const RESULT = 'Rain, 7 °C';

export const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** With a name that no vendor allows: only the client's own dialect is asked with it. */
export const oddlyNamedTool = { ...weather, name: 'weather.now/here' };
/** With a name for the other dialects. */
export const renamedTool: Readonly<Record<DialectName, string>> = {
  'openai-chat': 'weather_now_here',
  'openai-responses': 'weather_now_here',
  'anthropic-messages': 'weather_now_here',
  gemini: 'weather.now_here',
};

/** Schema of a structured response. */
export const forecast = {
  type: 'object',
  properties: { sky: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['sky', 'degrees'],
  additionalProperties: false,
};

export const oslo: Call = { id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } };
const tromso: Call = { id: 'call_2', name: 'get_weather', input: { city: 'Tromsø' } };

const counts: TokenCounts = { input: 40, cached: 10, output: 12, reasoning: 0 };
const long = 'It rains in Oslo, and it is seven degrees there. 雨 '.repeat(4);

export const answersByScenario: Readonly<Record<Scenario, UpstreamAnswer>> = {
  text: { text: 'It rains. 下雨。', usage: counts },
  tools: { calls: [oslo], usage: counts },
  'parallel tools': { text: 'Let me look.', calls: [oslo, tromso], usage: counts },
  'tool names': { calls: [{ ...oslo, name: oddlyNamedTool.name }], usage: counts },
  'tool results': { text: 'It rains in Oslo.', usage: counts },
  'image in': { text: 'A grey sky.', usage: counts },
  reasoning: { reasoning: 'Oslo is in Norway.', text: 'It rains.', usage: { ...counts, reasoning: 5 } },
  'structured output': { text: '{"sky":"grey","degrees":7}', usage: counts },
  error: { usage: counts },
  'cut stream': { text: long, usage: counts },
};

export const scenarios: readonly Scenario[] = [
  'text',
  'tools',
  'parallel tools',
  'tool names',
  'tool results',
  'image in',
  'reasoning',
  'structured output',
  'error',
  'cut stream',
];

/** Text in pieces, like models write it. */
export function splitText(text: string): string[] {
  return text.match(/.{1,9}/gsu) ?? [];
}
