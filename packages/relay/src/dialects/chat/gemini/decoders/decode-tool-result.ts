import { type JsonObject, listOf, objectOf } from '../../../../json/json.ts';
import type { ResultPart, ToolResultPart } from '../../../../model/conversation.ts';
import type { CallIds } from '../call-ids.ts';
import { listUnknownFields, readField } from '../field.ts';
import { decodeFile } from './decode-file.ts';

const known = new Set(['id', 'name', 'response', 'parts']);

/**
 * Decodes a result. Google's documentation names its members `output` and `error`; any other object is the result
 * itself.
 */
export function decodeResult(result: JsonObject, ids: CallIds, unsupported: string[]): ToolResultPart {
  for (const name of listUnknownFields(result, known)) unsupported.push(`contents.parts.functionResponse.${name}`);
  const { id, name } = result;
  const response = objectOf(result['response']);
  const isError = response['error'] != null && response['output'] === undefined;
  const content: ResultPart[] = [{ type: 'text', text: resultText(response) }];
  for (const part of listOf(readField(result, 'parts'))) {
    const file = decodeFile(objectOf(part), unsupported);
    if (file?.type === 'image' || file?.type === 'file') content.push(file);
    else if (file !== undefined) unsupported.push(`contents.parts.functionResponse.parts.${file.type}`);
  }
  return {
    type: 'tool-result',
    callId: ids.idForResult(
      typeof name === 'string' ? name : undefined,
      typeof id === 'string' && id !== '' ? id : undefined,
    ),
    content,
    isError: isError ? true : undefined,
  };
}

function resultText(response: JsonObject): string {
  const names = Object.keys(response);
  const [only = ''] = names;
  const value = names.length === 1 && ['output', 'result', 'error'].includes(only) ? response[only] : response;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
