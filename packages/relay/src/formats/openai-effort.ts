import type { Conversation, ReasoningEffort } from '../conversation.ts';

/** Budgets in tokens as words: our own steps, close to what vendors' own compatible endpoints do. */
export function effortOf(reasoning: Conversation['reasoning']): ReasoningEffort | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined) return undefined;
  if (budget <= 0) return 'none';
  if (budget <= 1_024) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
}
