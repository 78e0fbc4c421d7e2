/** Field that a vendor refused, by the client's name for it. */

import { isPassedThrough } from '../exchange/plan-exchange.ts';
import { isObject, type JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { Target } from '../model/provider.ts';

/** Groups of names that mean the same field in different dialects. */
const sameFields: readonly (readonly string[])[] = [
  ['messages', 'input', 'contents'],
  ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'generationConfig.maxOutputTokens'],
  ['stop', 'stop_sequences', 'generationConfig.stopSequences'],
  ['temperature', 'generationConfig.temperature'],
  ['top_p', 'generationConfig.topP'],
  ['top_k', 'generationConfig.topK'],
  ['response_format', 'text.format', 'generationConfig.responseFormat'],
  ['reasoning_effort', 'reasoning.effort', 'output_config.effort'],
  ['tool_choice', 'toolConfig'],
];

/** Returns the field of the client's request that a vendor's `param` means; undefined if the client sent none. */
export function toClientParam(
  param: string | undefined,
  request: ClientRequest,
  anyModel: Omit<Target, 'model'>,
): string | undefined {
  if (param === undefined || isPassedThrough(request, anyModel)) return param;
  const [root = ''] = param.split(/[.[]/);
  if (Object.hasOwn(request.json, root)) return param;
  const names = sameFields.find((fields) => fields.includes(param) || fields.includes(root));
  return names?.find((name) => hasField(request.json, name.split('.')));
}

function hasField(value: JsonObject, [name = '', ...rest]: readonly string[]): boolean {
  if (!Object.hasOwn(value, name)) return false;
  const inner = value[name];
  return rest.length === 0 || (isObject(inner) && hasField(inner, rest));
}
