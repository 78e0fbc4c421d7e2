import type { Conversation, ReasoningEffort } from '../../../model/conversation.ts';
import { effortOf } from '../effort.ts';
import type { ConverseModel } from './converse-models.ts';

interface ThinkingPlan {
  /** Model-specific request fields. */
  fields: Record<string, unknown>;
  /** True if `temperature` and `topP` are allowed beside it. */
  takesSampling: boolean;
}

type Level = 'low' | 'medium' | 'high';

const levels: Readonly<Record<ReasoningEffort, Level>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

export function planThinking(
  conversation: Conversation,
  { thinking }: ConverseModel,
  dropped: string[],
): ThinkingPlan {
  const plain: ThinkingPlan = { fields: {}, takesSampling: true };
  const effort = effortOf(conversation.reasoning);
  if (effort === undefined) return plain;
  if (thinking === 'effort') return { ...plain, fields: { reasoning_effort: levels[effort] } };
  if (effort === 'none') return plain;
  if (thinking === 'nova') return novaThinking(levels[effort], conversation.maxOutputTokens !== undefined);
  dropped.push('reasoning_effort');
  return plain;
}

/**
 * Plans Nova's thinking. The highest level allows neither a cap nor sampling. The cap limits what the client pays, so a
 * capped request uses the level below. https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
function novaThinking(wanted: Level, isCapped: boolean): ThinkingPlan {
  const level = wanted === 'high' && isCapped ? 'medium' : wanted;
  return {
    fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } },
    takesSampling: level !== 'high',
  };
}
