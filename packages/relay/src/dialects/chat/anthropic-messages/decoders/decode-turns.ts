import { isObject } from '../../../../json/json.ts';
import type { Turn } from '../../../../model/conversation.ts';
import { InvalidRequest } from '../../../../model/invalid-request.ts';
import { contentParts } from './decode-content.ts';

export function decodeTurns(messages: readonly unknown[], unsupported: string[]): Turn[] {
  return messages.map((message): Turn => {
    if (!isObject(message)) throw new InvalidRequest('Each message must be an object.', 'messages');
    const { role } = message;
    if (role !== 'user' && role !== 'assistant' && role !== 'system')
      throw new InvalidRequest('The role of a message must be user or assistant.', 'messages');
    const parts = contentParts(message['content'], unsupported);
    if (role !== 'assistant' && parts.some(({ type }) => type === 'tool-call'))
      throw new InvalidRequest('Only an assistant message can contain tool_use.', 'messages');
    return { role, parts };
  });
}
