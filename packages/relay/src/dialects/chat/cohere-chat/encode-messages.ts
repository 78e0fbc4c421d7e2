import { writeUrl } from '../../../json/data-url.ts';
import type { Conversation, Part, ToolResultPart, Turn } from '../../../model/conversation.ts';
import { answeredCalls } from '../../../translate/answered-calls.ts';
import { pairedTurns } from '../../../translate/paired-turns.ts';
import { withSystemNotes } from '../../../translate/system-notes.ts';

type Message = Record<string, unknown>;

/** @throws InvalidRequest when the calls' arguments are too much to be parsed */
export function encodeMessages({ system, turns }: Conversation, dropped: string[]): Message[] {
  const instructions = system.map(({ text }) => text).join('\n\n');
  const messages = pairedTurns(withSystemNotes(answeredCalls(turns))).flatMap((turn) =>
    turn.role === 'assistant' ? assistantMessages(turn, dropped) : userMessages(turn, dropped),
  );
  return instructions === '' ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** Returns the assistant's messages. The vendor takes thoughts before tool calls as its plan, and no other thoughts. */
function assistantMessages({ parts }: Turn, dropped: string[]): Message[] {
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            id: part.callId,
            type: 'function',
            function: { name: part.name, arguments: part.arguments || '{}' },
          },
        ]
      : [],
  );
  const plan = parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('');
  const text = parts
    .flatMap((part) => ('text' in part && part.type !== 'reasoning' ? [part.text] : []))
    .join('');
  if (plan !== '' && calls.length === 0) dropped.push('messages.reasoning_content');
  for (const { type } of parts) if (unsaid.has(type)) dropped.push(`messages.assistant.${type}`);
  if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [
    {
      role: 'assistant',
      tool_calls: calls,
      ...(plan !== '' && { tool_plan: plan }),
      ...(text !== '' && { content: text }),
    },
  ];
}

const unsaid: ReadonlySet<string> = new Set(['image', 'file', 'audio', 'video', 'vendor-call']);

/** Results come first, as messages of their own; pictures in them follow in the user's. */
function userMessages({ parts }: Turn, dropped: string[]): Message[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const shown = results.flatMap(({ content }) => content.filter(({ type }) => type !== 'text'));
  const content = [...shown, ...parts.filter((part) => part.type !== 'tool-result')].flatMap((part) =>
    userContent(part, dropped),
  );
  const messages = results.map(toolMessage);
  const [only] = content;
  if (content.length === 1 && only?.['type'] === 'text')
    return [...messages, { role: 'user', content: only['text'] }];
  return content.length === 0 ? messages : [...messages, { role: 'user', content }];
}

function toolMessage({ callId, content, isError }: ToolResultPart): Message {
  const said = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}, see below]`));
  return { role: 'tool', tool_call_id: callId, content: `${isError ? 'Error: ' : ''}${said.join('\n')}` };
}

function userContent(part: Part, dropped: string[]): Message[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'image') {
    const { detail } = part;
    return [
      {
        type: 'image_url',
        image_url: { url: writeUrl(part.source), ...(detail !== undefined && { detail }) },
      },
    ];
  }
  if (part.type === 'file' && 'base64' in part.source && part.source.mediaType.startsWith('text/'))
    return [{ type: 'text', text: Buffer.from(part.source.base64, 'base64').toString('utf8') }];
  dropped.push(`messages.content.${part.type}`);
  return [];
}
