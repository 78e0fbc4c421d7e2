import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { Part, ReasoningPart, ToolCallPart } from '../../../model/conversation.ts';
import { argumentsText } from '../../../translate/tool-input.ts';
import { argumentsOfCustom } from '../openai-custom-tools.ts';
import { readCallProof, signsCall } from './reasoning-signatures.ts';

/**
 * An assistant's thoughts and calls, each call with its proof in front of it. A client may have kept a proof in the
 * call, among the details of the reasoning, or in both; one in the details belongs to the first call that has none.
 */
export function thoughtsAndCalls(
  message: JsonObject,
  reasoning: readonly ReasoningPart[],
  unsupported: string[],
): { thoughts: Part[]; calls: Part[] } {
  const calls: Part[] = [];
  const signatures = new Set<string>();
  for (const value of listOf(message['tool_calls'])) {
    const call = objectOf(value);
    const part = toolCall(call, unsupported);
    if (part === undefined) continue;
    const proof = readCallProof(call);
    if (proof !== undefined) {
      signatures.add(proof.value);
      calls.push({ type: 'reasoning', text: '', proof });
    }
    calls.push(part);
  }
  const legacy = objectOf(message['function_call']);
  const name = textOf(legacy['name']);
  if (name !== undefined)
    calls.push({ type: 'tool-call', callId: '', name, arguments: argumentsText(legacy['arguments']) });
  const thoughts = reasoning.filter(({ proof }) => !signsCall(proof) || !signatures.has(proof?.value ?? ''));
  const loose = thoughts.findLastIndex(({ proof }) => signsCall(proof));
  if (calls[0]?.type === 'tool-call') calls.unshift(...thoughts.splice(loose, loose === -1 ? 0 : 1));
  return { thoughts, calls };
}

function toolCall(call: JsonObject, unsupported: string[]): ToolCallPart | undefined {
  const isCustom = call['type'] === 'custom' || call['function'] === undefined;
  const details = objectOf(isCustom ? (call['custom'] ?? call['function']) : call['function']);
  const name = textOf(details['name']);
  if (name === undefined) {
    unsupported.push(`messages.tool_calls.${textOf(call['type']) ?? 'unknown'}`);
    return undefined;
  }
  const text = isCustom ? argumentsOfCustom(details['input']) : argumentsText(details['arguments']);
  return { type: 'tool-call', callId: textOf(call['id']) ?? '', name, arguments: text };
}
