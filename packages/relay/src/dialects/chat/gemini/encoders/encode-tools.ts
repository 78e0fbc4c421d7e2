import type { Conversation, Tool, ToolChoice, VendorTool } from '../../../../model/conversation.ts';
import { reportDropped } from '../../../openai/defined-fields.ts';
import type { GeminiModel } from '../gemini-models.ts';

type Json = Record<string, unknown>;

export function encodeTools(
  { tools, vendorTools, toolChoice }: Conversation,
  model: GeminiModel,
  dropped: string[],
): Json {
  // Up to Gemini 2.5 one request has either; the client's own functions are what it cannot do without.
  const isEither = !model.isThird && tools.length > 0;
  if (isEither) for (const { type } of vendorTools) dropped.push(`tools.${type}`);
  const own = isEither ? [] : vendorTools.map((tool) => encodeVendorTool(tool, dropped));
  const declared =
    tools.length > 0 ? [{ functionDeclarations: tools.map((tool) => encodeTool(tool, dropped)) }] : [];
  if (own.length + declared.length === 0) return {};
  const config = {
    ...(declared.length > 0 &&
      toolChoice !== undefined && { functionCallingConfig: encodeToolChoice(toolChoice) }),
    ...(declared.length > 0 && own.length > 0 && { includeServerSideToolInvocations: true }),
  };
  return {
    tools: [...declared, ...own],
    ...(Object.keys(config).length > 0 && { toolConfig: config }),
  };
}

function encodeTool({ name, description, parameters, strict }: Tool, dropped: string[]): Json {
  if (strict === true) dropped.push('tools.strict');
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  };
}

function encodeVendorTool({ type, ...options }: VendorTool, dropped: string[]): Json {
  reportDropped(options, dropped, `tools.${type}.`);
  if (type === 'web-search') return { googleSearch: {} };
  return type === 'code-execution' ? { codeExecution: {} } : { urlContext: {} };
}

function encodeToolChoice(choice: ToolChoice): Json {
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
    default:
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
  }
}
