/**
 * What Claude models allow, as of August 2026 (Anthropic's model overview; "Mid-conversation system messages"). First
 * match counts; unknown and future models are taken to be like the newest.
 */
export interface ClaudeModel {
  name: RegExp;
  outputTokensMax: number;
  /** `budget`: thinking has a token budget; `adaptive`: the model decides, guided by an effort word. */
  thinking: 'none' | 'budget' | 'adaptive';
  /** Whether `temperature`, `top_p` and `top_k` are accepted. */
  sampling: boolean;
  /** Whether instructions may stand between the turns; others answer 400. */
  systemTurns: boolean;
}

const models: readonly ClaudeModel[] = [
  {
    name: /claude-3-(opus|sonnet|haiku)|claude-2/,
    outputTokensMax: 4_096,
    thinking: 'none',
    sampling: true,
    systemTurns: false,
  },
  { name: /claude-3-5/, outputTokensMax: 8_192, thinking: 'none', sampling: true, systemTurns: false },
  { name: /claude-3-7/, outputTokensMax: 64_000, thinking: 'budget', sampling: true, systemTurns: false },
  { name: /opus-4-5/, outputTokensMax: 64_000, thinking: 'budget', sampling: true, systemTurns: false },
  { name: /opus-4-6/, outputTokensMax: 128_000, thinking: 'adaptive', sampling: true, systemTurns: false },
  { name: /opus-4-7/, outputTokensMax: 128_000, thinking: 'adaptive', sampling: false, systemTurns: false },
  { name: /opus-4-8/, outputTokensMax: 128_000, thinking: 'adaptive', sampling: false, systemTurns: true },
  { name: /opus-4/, outputTokensMax: 32_000, thinking: 'budget', sampling: true, systemTurns: false },
  { name: /sonnet-4-6/, outputTokensMax: 64_000, thinking: 'adaptive', sampling: true, systemTurns: false },
  {
    name: /(sonnet|haiku)-4/,
    outputTokensMax: 64_000,
    thinking: 'budget',
    sampling: true,
    systemTurns: false,
  },
];

const newest: ClaudeModel = {
  name: /./,
  outputTokensMax: 128_000,
  thinking: 'adaptive',
  sampling: false,
  systemTurns: true,
};
/** Somebody else's model behind this dialect. */
const foreign: ClaudeModel = {
  name: /./,
  outputTokensMax: 8_192,
  thinking: 'budget',
  sampling: true,
  systemTurns: false,
};

export function claudeModel(name: string): ClaudeModel {
  const known = models.find((model) => model.name.test(name));
  if (known !== undefined) return known;
  return /claude|opus|sonnet|haiku|fable/.test(name) ? newest : foreign;
}
