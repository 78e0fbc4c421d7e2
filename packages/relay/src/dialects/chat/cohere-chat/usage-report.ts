import { isObject, objectOf } from '../../../json/json.ts';
import { callCount, emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

/**
 * Reads the billed usage if it is reported: `tokens` includes the vendor's own template, and so does the count of
 * cached tokens. https://docs.cohere.com/reference/chat#response.body.usage
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
