import type { ReasoningEffort } from '../../../model/conversation.ts';
import { claudeName } from '../../../model/facts-from-model-name.ts';

/**
 * Capabilities of the Claude models, as of August 2026 (Anthropic's model overview; "Mid-conversation system
 * messages"). The first match counts; unknown and future models are treated like the newest. The patterns match the
 * normalized name (`claudeName`).
 */
export interface ClaudeModel {
  name: RegExp;
  outputTokensMax: number;
  /** Default output cap of the model, where it differs from the usual one. */
  usualCap?: number;
  /** `budget`: thinking has a token budget; `adaptive`: the model decides, guided by an effort word. */
  thinking: 'none' | 'budget' | 'adaptive';
  /**
   * True if the model thinks unless a request turns that off, as since version 5.
   * https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
   */
  thinksByDefault?: true;
  /** True if the model accepts `temperature`, `top_p` and `top_k`. */
  sampling: boolean;
  /** True if the model accepts system messages between the turns; others respond with 400. */
  systemTurns: boolean;
  /** True if the client may prefill the assistant's response; others respond with 400. */
  prefill: boolean;
  /** Effort words in ascending order; empty if the model takes a budget. */
  efforts: readonly ReasoningEffort[];
  /** True if responses and tool calls can be constrained to a schema. */
  schemas: boolean;
}

const older = { sampling: true, systemTurns: false, prefill: true, efforts: [], schemas: false } as const;
const newer = { prefill: false, efforts: ['low', 'medium', 'high', 'xhigh', 'max'], schemas: true } as const;

const models: readonly ClaudeModel[] = [
  {
    ...older,
    name: /claude-(opus|sonnet|haiku)-3(?!-\d(?!\d))|claude-(v?[12]|instant)/,
    outputTokensMax: 4_096,
    thinking: 'none',
  },
  { ...older, name: /claude-(sonnet|haiku)-3-5/, outputTokensMax: 8_192, thinking: 'none' },
  { ...older, name: /claude-sonnet-3-7/, outputTokensMax: 64_000, thinking: 'budget' },
  { ...older, name: /opus-4-5/, outputTokensMax: 64_000, thinking: 'budget', schemas: true },
  {
    ...newer,
    name: /(opus|sonnet)-4-6/,
    outputTokensMax: 128_000,
    thinking: 'adaptive',
    sampling: true,
    systemTurns: false,
    efforts: ['low', 'medium', 'high', 'max'],
  },
  { ...newer, name: /opus-4-7/, outputTokensMax: 128_000, thinking: 'adaptive', sampling: false, systemTurns: false },
  { ...newer, name: /opus-4-8/, outputTokensMax: 128_000, thinking: 'adaptive', sampling: false, systemTurns: true },
  { ...older, name: /opus-4-1(?!\d)/, outputTokensMax: 32_000, thinking: 'budget', schemas: true },
  { ...older, name: /opus-4(-0)?(?!-\d{1,2}(?!\d))/, outputTokensMax: 32_000, thinking: 'budget' },
  { ...older, name: /(sonnet|haiku)-4-5/, outputTokensMax: 64_000, thinking: 'budget', schemas: true },
  { ...older, name: /(sonnet|haiku)-4(-0)?(?!-\d{1,2}(?!\d))/, outputTokensMax: 64_000, thinking: 'budget' },
];

const newest: ClaudeModel = {
  ...newer,
  name: /./,
  outputTokensMax: 128_000,
  thinking: 'adaptive',
  thinksByDefault: true,
  sampling: false,
  systemTurns: true,
};
/** Another vendor's model behind this dialect. */
const foreign: ClaudeModel = {
  ...older,
  name: /./,
  outputTokensMax: Number.POSITIVE_INFINITY,
  usualCap: 8_192,
  thinking: 'budget',
  schemas: true,
};

/** Models by name, because every request looks one up. */
const found = new Map<string, ClaudeModel>();
const FOUND_MAX = 1_000;

/** @param model name at the vendor, in any spelling */
export function claudeModel(model: string): ClaudeModel {
  const known = found.get(model);
  if (known !== undefined) return known;
  const claude = lookUp(model);
  if (found.size >= FOUND_MAX) found.clear();
  found.set(model, claude);
  return claude;
}

function lookUp(model: string): ClaudeModel {
  const name = claudeName(model);
  const known = models.find((one) => one.name.test(name));
  if (known !== undefined) return known;
  return /claude|opus|sonnet|haiku|fable/.test(name) ? newest : foreign;
}
