import type { Reasoning, ReasoningEffort } from '../../conversation.ts';
import type { geminiModel, ThinkingLevel } from './gemini-models.ts';

/** Our own steps, the same as for other dialects that count tokens. */
const budgets: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 49_152,
};

const ranks: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 0,
  low: 1,
  medium: 2,
  high: 3,
  xhigh: 3,
  max: 3,
};
const levelRanks: Record<ThinkingLevel, number> = { MINIMAL: 0, LOW: 1, MEDIUM: 2, HIGH: 3 };

/** `thinkingConfig`, with a level or a budget as the model wants it, never both; undefined leaves it to the model. */
export function planThinking(
  reasoning: Reasoning | undefined,
  { thinking }: ReturnType<typeof geminiModel>,
  dropped: string[],
): Record<string, unknown> | undefined {
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens } = reasoning;
  const isOff = effort === undefined ? budgetTokens === 0 : effort === 'none';
  if (thinking.type === 'none') {
    if (!isOff) dropped.push('reasoning_effort');
    return undefined;
  }
  // Whoever asks for thought can read it, unless it says otherwise.
  const includeThoughts = !isOff && reasoning.isShown !== false;
  if (effort === undefined && budgetTokens === undefined) return { includeThoughts };
  if (thinking.type === 'level') {
    const rank = effort === undefined ? rankOf(budgetTokens ?? 0) : ranks[effort];
    return { thinkingLevel: nearest(thinking.levels, rank), includeThoughts };
  }
  if (isOff && thinking.canBeOff) return { thinkingBudget: 0 };
  const wanted = budgetTokens ?? budgets[effort ?? 'none'];
  return { thinkingBudget: Math.min(thinking.max, Math.max(thinking.min, wanted)), includeThoughts };
}

function rankOf(budget: number): number {
  if (budget <= 0) return 0;
  if (budget <= 1_024) return 1;
  return budget <= 8_192 ? 2 : 3;
}

/** A level that the model lacks becomes the next higher one. */
function nearest(levels: readonly ThinkingLevel[], rank: number): ThinkingLevel | undefined {
  return levels.find((level) => levelRanks[level] >= rank) ?? levels.at(-1);
}
