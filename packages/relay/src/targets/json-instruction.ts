import type { TextPart } from '../conversation.ts';

/** For dialects without a switch for it. */
export const jsonInstruction: TextPart = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
};
