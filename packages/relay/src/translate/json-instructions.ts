import type { TextPart } from '../model/conversation.ts';

/** Instruction to answer in JSON, for dialects without a JSON mode. */
export const jsonInstruction: TextPart = {
  type: 'text',
  text: 'Answer with one valid JSON object and nothing else: no explanation, no code fence.',
};

/** Returns the schema as an instruction, for targets that cannot enforce it. */
export function schemaInstruction(schema: unknown): TextPart {
  const demand = 'Answer with one JSON value that is valid against this JSON Schema, and nothing else';
  return { type: 'text', text: `${demand}: no explanation, no code fence.\n${JSON.stringify(schema)}` };
}
