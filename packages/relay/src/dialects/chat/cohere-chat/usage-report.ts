import { isObject, objectOf } from '../../../json/json.ts';
import { callCount, emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

/**
 * What is billed, where it is told: `tokens` has the vendor's own template in it, and so have those that are cached.
 * https://docs.cohere.com/reference/chat#response.body.usage
 */
export function readUsage(report: unknown): Usage | undefined {
  const { billed_units: billed, tokens } = objectOf(report);
  if (!isObject(billed) && !isObject(tokens)) return undefined;
  const counted = objectOf(billed ?? tokens);
  return {
    ...emptyUsage(),
    input: tokenCount(counted['input_tokens']),
    output: tokenCount(counted['output_tokens']),
    search: callCount(counted['search_units']),
  };
}
