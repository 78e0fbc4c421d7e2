import type { Reasoning, ReasoningEffort } from '../../../model/conversation.ts';
import { effortBudgets, resolveEffort } from '../effort.ts';
import type { GeminiModel, ThinkingLevel } from './gemini-models.ts';

const ranks: Record<ReasoningEffort, number> = { none: 0, minimal: 0, low: 1, medium: 2, high: 3, xhigh: 3, max: 3 };
const levelRanks: Record<ThinkingLevel, number> = { MINIMAL: 0, LOW: 1, MEDIUM: 2, HIGH: 3 };

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
