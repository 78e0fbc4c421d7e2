import type { Reasoning, ReasoningEffort } from '../../../model/conversation.ts';
import { familyName } from '../../../model/facts-from-model-name.ts';
import { effortBudgets, resolveEffort } from '../reasoning-effort.ts';

/**
 * Capabilities of the Gemini models, as of August 2026 (https://ai.google.dev/gemini-api/docs/thinking and …/models).
 * The first match counts; unknown and future models are treated like the newest.
 */
export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH';

export interface GeminiModel {
  name: RegExp;
  /** `level`: effort words, never fully off; `budget`: tokens, and whether zero is allowed. */
  thinking:
    | { type: 'none' }
    | { type: 'level'; levels: readonly ThinkingLevel[] }
    | { type: 'budget'; min: number; max: number; canBeOff: boolean };
  /**
   * True from the third generation on: calls in the history must be signed, results may contain images, and Google's
   * own tools can be combined with the client's.
   */
  isThird: boolean;
}

const none = { type: 'none' } as const;

const models: readonly GeminiModel[] = [
  { name: /gemini-(1|2\.0|pro$|pro-vision)|gemma|learnlm/, thinking: none, isThird: false },
  { name: /gemini-2\.5.*(image|tts)/, thinking: none, isThird: false },
  { name: /gemini-2\.5-pro/, thinking: budget(128, 32_768, false), isThird: false },
  { name: /gemini-2\.5-flash-lite/, thinking: budget(512, 24_576, true), isThird: false },
  { name: /gemini-2\.5|gemini-robotics-er-1/, thinking: budget(1, 24_576, true), isThird: false },
  { name: /gemini-.*(image|tts)/, thinking: none, isThird: true },
  { name: /gemini-3-pro/, thinking: { type: 'level', levels: ['LOW', 'HIGH'] }, isThird: true },
  { name: /gemini-.*pro/, thinking: { type: 'level', levels: ['LOW', 'MEDIUM', 'HIGH'] }, isThird: true },
];

const newest: GeminiModel = {
  name: /./,
  thinking: { type: 'level', levels: ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] },
  isThird: true,
};

const ranks: Record<ReasoningEffort, number> = { none: 0, minimal: 0, low: 1, medium: 2, high: 3, xhigh: 3, max: 3 };
const levelRanks: Record<ThinkingLevel, number> = { MINIMAL: 0, LOW: 1, MEDIUM: 2, HIGH: 3 };

export function geminiModel(name: string): GeminiModel {
  return models.find((model) => model.name.test(familyName(name))) ?? newest;
}

function budget(min: number, max: number, canBeOff: boolean): GeminiModel['thinking'] {
  return { type: 'budget', min, max, canBeOff };
}

/**
 * Returns `thinkingConfig` with the level or budget that the model takes, never both; undefined leaves it to the
 * model.
 */
export function planThinking(
  reasoning: Reasoning | undefined,
  { thinking }: GeminiModel,
  dropped: string[],
): Record<string, unknown> | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens } = reasoning;
  const isOff = effort === undefined ? budgetTokens === 0 : effort === 'none';
  if (thinking.type === 'none') {
    if (!isOff) dropped.push('reasoning_effort');
    return undefined;
  }
  // A request for thinking shows the thoughts unless it says otherwise.
  const includeThoughts = !isOff && reasoning.isShown !== false;
  if (effort === undefined && budgetTokens === undefined) return { includeThoughts };
  if (thinking.type === 'level') {
    const rank = ranks[resolveEffort(reasoning) ?? 'none'];
    return { thinkingLevel: nearest(thinking.levels, rank), includeThoughts };
  }
  if (isOff && thinking.canBeOff) return { thinkingBudget: 0 };
  const wanted = budgetTokens ?? effortBudgets[effort ?? 'none'];
  return { thinkingBudget: Math.min(thinking.max, Math.max(thinking.min, wanted)), includeThoughts };
}

/** Returns the level, or the next higher one if the model lacks it. */
function nearest(levels: readonly ThinkingLevel[], rank: number): ThinkingLevel | undefined {
  return levels.find((level) => levelRanks[level] >= rank) ?? levels.at(-1);
}
