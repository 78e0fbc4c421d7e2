import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { isPassedThrough, planExchange } from './plan-exchange.ts';

const find = { type: 'function', name: 'find', parameters: { type: 'object' } };
const namespace = { type: 'namespace', name: 'wiki', description: '', tools: [find] };
const server = { options: { api: 'responses' } };

const clientTools: JsonObject[] = [
  { tools: [namespace] },
  { tools: [{ ...namespace, name: 'functions' }] },
  { tools: [{ type: 'custom', name: 'note' }] },
  { tools: [{ type: 'local_shell' }] },
  { tools: [{ type: 'shell' }] },
  { tools: [{ type: 'apply_patch' }] },
  { tools: [{ type: 'tool_search', execution: 'client' }] },
  { input: [{ type: 'additional_tools', role: 'developer', tools: [find] }] },
  { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'note', input: 'x' }] },
  { input: [{ type: 'function_call', call_id: 'c', namespace: 'wiki', name: 'find', arguments: '{}' }] },
];
const plain: JsonObject[] = [
  { tools: [find] },
  { tools: [find, { type: 'web_search' }] },
  { input: [{ type: 'function_call', call_id: 'c', name: 'find', arguments: '{}' }] },
  { tools: [namespace], previous_response_id: 'resp_1' },
  { tools: [namespace], input: [{ type: 'compaction', encrypted_content: 'x' }] },
];

function isSame(fields: JsonObject, provider: string): boolean {
  const request = sampleRequest('openai-responses', fields);
  const target = sampleTarget(provider, provider === 'custom' ? server : {});
  const isSame = planExchange(request, target).body.equals(request.body);
  expect(isPassedThrough(request, target)).toBe(isSame);
  return isSame;
}

describe('a Responses request to a server of Responses', () => {
  it.each([...clientTools, ...plain])('reaches OpenAI byte for byte: %j', (fields) => {
    for (const provider of ['openai', 'azure', 'azure-v1', 'one-api']) expect(isSame(fields, provider)).toBe(true);
  });

  it.each(clientTools)('has functions instead of %j for servers that may know no other tools', (fields) => {
    for (const provider of ['custom', 'lm-studio', 'openrouter']) expect(isSame(fields, provider)).toBe(false);
  });

  it.each(plain)('reaches other servers byte for byte: %j', (fields) => {
    for (const provider of ['custom', 'lm-studio', 'openrouter']) expect(isSame(fields, provider)).toBe(true);
  });
});
