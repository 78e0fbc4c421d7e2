/** Fits a neutral conversation to its target's features before it is encoded in the target's dialect. */

import { isObject } from '../json/json.ts';
import { hasCacheBreakpoint, withoutCacheBreakpoint } from '../model/cache-breakpoint.ts';
import type { Conversation, OutputFormat, TextPart, Tool } from '../model/conversation.ts';
import { schemaInstruction } from '../translate/turns-and-instructions.ts';
import { isClosedSchema } from './closed-json-schema.ts';
import { fitToolSchema } from './fit-tool-schema.ts';
import { CopyBudget } from './json-schema-references.ts';
import type { TargetFeatures } from './target-features.ts';

/** @param dropped takes the names of removed fields */
export function fitConversation(asked: Conversation, features: TargetFeatures, dropped: string[]): Conversation {
  const isMarked = features.cacheMarks !== 'taken' && hasCacheBreakpoint(asked);
  if (isMarked) dropped.push('cache_control');
  const conversation = isMarked ? withoutCacheBreakpoint(asked) : asked;
  const { maxOutputTokens: cap } = conversation;
  const budget = new CopyBudget(conversation.tools.map(({ parameters }) => parameters));
  return {
    ...conversation,
    ...fitSearch(conversation, features, dropped),
    tools: conversation.tools.map((tool) => fitTool(tool, features, budget, dropped)),
    ...fitOutput(conversation, features, dropped),
    keepsThoughts: features.earlierThoughts === 'required',
    maxOutputTokens: cap === undefined ? undefined : Math.min(cap, features.outputTokensMax),
  };
}

function fitTool(tool: Tool, features: TargetFeatures, budget: CopyBudget, dropped: string[]): Tool {
  if (tool.parameters === undefined) return tool;
  const parameters = fitToolSchema(tool.parameters, features, budget, (keyword) => {
    dropped.push(`tools.parameters.${keyword}`);
  });
  if (tool.strict !== true || features.strictSchemas === 'any' || isClosedSchema(parameters))
    return { ...tool, parameters };
  dropped.push('tools.strict');
  return { ...tool, parameters, strict: false };
}

/**
 * Fits the output format to a target that enforces only closed objects: a schema whose root is not an object becomes
 * an instruction, and one that is not closed loses `strict`.
 */
function fitOutput(
  { outputFormat, system }: Conversation,
  { strictSchemas }: TargetFeatures,
  dropped: string[],
): Partial<Pick<Conversation, 'outputFormat' | 'system'>> {
  if (outputFormat?.type !== 'json-schema' || strictSchemas === 'any') return {};
  if (!isObjectSchema(outputFormat.schema)) {
    dropped.push('response_format.json_schema');
    return { outputFormat: undefined, system: withInstruction(system, outputFormat) };
  }
  if (outputFormat.strict !== true || isClosedSchema(outputFormat.schema)) return {};
  dropped.push('response_format.json_schema.strict');
  return { outputFormat: { ...outputFormat, strict: false } };
}

function isObjectSchema(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'object' && schema['anyOf'] === undefined;
}

function withInstruction(
  system: readonly TextPart[],
  { schema }: Extract<OutputFormat, { type: 'json-schema' }>,
): TextPart[] {
  return [...system, schemaInstruction(schema)];
}

/** Removes web search from a model without it, which would refuse the whole request. */
function fitSearch(
  { tools, vendorTools, toolChoice }: Conversation,
  { webSearch }: TargetFeatures,
  dropped: string[],
): Partial<Pick<Conversation, 'vendorTools' | 'toolChoice'>> {
  if (webSearch === 'taken' || vendorTools.every(({ type }) => type !== 'web-search')) return {};
  dropped.push('tools.web_search');
  const isStillThere = toolChoice?.type !== 'tool' || tools.some(({ name }) => name === toolChoice.name);
  return {
    vendorTools: vendorTools.filter(({ type }) => type !== 'web-search'),
    toolChoice: isStillThere && tools.length > 0 ? toolChoice : undefined,
  };
}
