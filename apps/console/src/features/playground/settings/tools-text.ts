import { type Tool, tool } from '@switchyard/contract/playground/conversation';
import { z } from 'zod';

const MOST_TOOLS = 128;
const toolList = z
  .array(tool)
  .max(MOST_TOOLS)
  .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'names repeat');

export type ToolsReading =
  | { tools: Tool[] }
  /** `where` is a place in the list, such as `0.name`; empty for text that is not JSON. */
  | { problem: 'json' | 'shape'; where: string };

/** Parses the typed list of tools. Empty text means no tools. */
export function readTools(text: string): ToolsReading {
  if (text.trim() === '') return { tools: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { problem: 'json', where: error instanceof Error ? error.message : '' };
  }
  const { data, error } = toolList.safeParse(parsed);
  if (data !== undefined) return { tools: data };
  const [issue] = error.issues;
  return { problem: 'shape', where: [...(issue?.path ?? [])].join('.') };
}

export function toolsText(tools: readonly Tool[]): string {
  return JSON.stringify(tools, null, 2);
}

/** Ready to try. */
export const exampleTools: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Current weather in a city',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Name of the city' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      },
      required: ['city'],
    },
  },
  {
    name: 'search_orders',
    description: 'Orders of a customer, newest first',
    parameters: {
      type: 'object',
      properties: {
        customer: { type: 'string', description: 'Mail address of the customer' },
        limit: { type: 'integer', minimum: 1, maximum: 20 },
      },
      required: ['customer'],
    },
  },
];
