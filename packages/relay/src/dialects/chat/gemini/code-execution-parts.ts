/** Code execution at the vendor: a part for the code, followed by a part for its result. */

import { type JsonObject, textOf } from '../../../json/json.ts';
import type { VendorCall } from '../../../model/conversation.ts';

/** @param code undefined if only the result arrived */
export function readCode(code: JsonObject | undefined, callId: string): VendorCall {
  return { tool: 'code-execution', callId, input: textOf(code?.['code']) ?? '' };
}

export function addCodeResult(call: VendorCall, result: JsonObject): void {
  call.output = textOf(result['output']) ?? '';
  call.isError = result['outcome'] !== 'OUTCOME_OK';
}

export function writeCode({ input, output, isError }: VendorCall): Record<string, unknown>[] {
  const outcome = isError ? 'OUTCOME_FAILED' : 'OUTCOME_OK';
  return [
    { executableCode: { language: 'PYTHON', code: input } },
    ...(output === undefined ? [] : [{ codeExecutionResult: { outcome, output } }]),
  ];
}
