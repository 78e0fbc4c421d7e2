/** What the upstream says for one request, before any misbehaviour: pieces that are sent one after another. */
import type { Behaviour } from './behaviour.ts';

export interface ScriptedResponse {
  contentType: string;
  /** One piece for a whole answer, one for each event of a stream. */
  pieces: string[];
  /** How this dialect says that something went wrong, as a whole body and as a piece of a stream. */
  error: { body(status: number): string; event: string };
}

/** The request as far as the answer depends on it. */
export interface ParsedRequest {
  model: string;
  stream: boolean;
  includeUsage: boolean;
  inputTokens: number;
  inputs: number;
  /** How many answers, pictures for instance. */
  choices: number;
  responseFormat: string;
  /** The first tool that may be called; undefined once a result was given. */
  tool: string | undefined;
  streamFormat: string;
}

export interface ReportedUsage {
  input: number;
  output: number;
}

/** The answer's text as a list of tokens, so that tests know what each piece of a stream is worth. */
export function generateTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => (index === 0 ? 'token0' : ` token${index}`));
}

/** What the upstream reports; undefined when it reports nothing. */
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
