/** The upstream's response to one request, before any misbehaviour: pieces that are sent one after another. */
import type { Behaviour } from './behaviour.ts';

export interface ScriptedResponse {
  contentType: string;
  /** One piece for a non-streaming response, one for each event of a stream. */
  pieces: string[];
  /** The dialect's error, as a whole body and as a piece of a stream. */
  error: { body(status: number): string; event: string };
}

/** Parts of the request on which the response depends. */
export interface ParsedRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  inputTokens: number;
  inputs: number;
  /** Number of results, for instance of images. */
  choices: number;
  responseFormat: string;
  /** First tool that may be called; undefined after its result. */
  tool: string | undefined;
  streamFormat: string;
}

export interface ReportedUsage {
  input: number;
  output: number;
}

/** Text of the response as a list of tokens, so that tests know the tokens of each piece. */
export function generateTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 'token0' : ` token${index}`));
}

/** Reported usage; undefined if none is reported. */
export function getReportedUsage(behaviour: Behaviour, asked: ParsedRequest): ReportedUsage | undefined {
  switch (behaviour.usage) {
    case 'none':
      return undefined;
    case 'huge':
      return { input: 10 ** 15, output: 10 ** 15 };
    case 'negative':
      return { input: -1_000, output: -1_000 };
    case 'exact':
    case 'twice':
    case 'growing':
      return { input: asked.inputTokens, output: behaviour.tokens };
  }
}

/** Every word of every string in the prompt is one token. */
export function countWords(value: unknown): number {
  if (typeof value === 'string') return value.split(/\s+/).filter((word) => word !== '').length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countWords(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, item]) => (name === 'role' || name === 'type' ? sum : sum + countWords(item)),
    0,
  );
}
