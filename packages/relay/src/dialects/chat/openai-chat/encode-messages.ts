import { writeCacheMark } from '../../../model/cache-mark.ts';
import type {
  Conversation,
  ReasoningPart,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../model/conversation.ts';
import { answeredCalls, type CallIdRule } from '../../../translate/answered-calls.ts';
import { textPart, type UserPart, userContent } from './encode-content.ts';
import { signsCall, writeCallProof } from './reasoning-signatures.ts';

type Message = Record<string, unknown>;

/** More is answered with 400 by OpenAI. */
const callIds: CallIdRule = { maxLength: 40 };

export function encodeMessages(conversation: Conversation, dropped: string[]): Message[] {
  const messages: Message[] = [];
  if (conversation.system.length > 0)
    messages.push({ role: 'system', content: systemContent(conversation.system) });
  const turns = answeredCalls(conversation.turns, callIds);
  const loopStart = startOfToolLoop(turns);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'system') messages.push({ role: 'system', content: systemContent(textsOf(turn)) });
    else if (turn.role === 'assistant') {
      const keepsThoughts = conversation.keepsThoughts === true || index > loopStart;
      const message = assistantMessage(turn, keepsThoughts, dropped);
      if (saysSomething(message)) messages.push(message);
    } else for (const message of userMessages(turn, dropped)) messages.push(message);
  }
  return messages.length > 0 ? messages : [{ role: 'user', content: '' }];
}

function textsOf(turn: Turn): TextPart[] {
  return turn.parts.filter((part) => part.type === 'text');
}

/** Joined with blank lines, unless a cache breakpoint needs the parts apart. */
function systemContent(system: readonly TextPart[]): unknown {
  if (system.some((part) => part.cache !== undefined)) return system.map(textPart);
  return system.map((part) => part.text).join('\n\n');
}

/**
 * Index of the last turn in which the user said something of their own. Most vendors that reason in this
 * dialect want their reasoning back within the tool loop that follows it, and not from earlier turns.
 */
function startOfToolLoop(turns: readonly Turn[]): number {
  return turns.findLastIndex(
    (turn) => turn.role === 'user' && turn.parts.every((part) => part.type !== 'tool-result'),
  );
}

function assistantMessage(turn: Turn, keepsThoughts: boolean, dropped: string[]): Message {
  const calls = toolCalls(turn);
  const refusal = turn.parts.flatMap((part) => (part.type === 'refusal' ? [part.text] : [])).join('');
  const thoughts = turn.parts.filter((part) => part.type === 'reasoning');
  if (thoughts.some(({ proof }) => proof?.kind === 'redacted' && proof.origin !== 'openai-chat'))
    dropped.push('redacted_thinking');
  for (const { type } of turn.parts) if (unsaid.has(type)) dropped.push(`messages.assistant.${type}`);
  return {
    role: 'assistant',
    content: assistantContent(textsOf(turn)),
    ...(refusal !== '' && { refusal }),
    ...(keepsThoughts && reasoningFields(thoughts)),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** A message of nothing is refused. */
function saysSomething({ role: _role, content, ...others }: Message): boolean {
  return content !== null || Object.keys(others).length > 0;
}

const unsaid: ReadonlySet<string> = new Set(['image', 'file', 'audio', 'video', 'vendor-call']);

function assistantContent(texts: readonly TextPart[]): unknown {
  if (texts.some((part) => part.cache !== undefined)) return texts.map(textPart);
  return texts.length > 0 ? texts.map((part) => part.text).join('') : null;
}

/** Text for every vendor, and the proofs for the one that made them; with several, each needs its own text. */
function reasoningFields(thoughts: readonly ReasoningPart[]): Message {
  const text = thoughts.map((part) => part.text).join('');
  const proven = thoughts.filter(({ proof }) => proof?.origin === 'openai-chat');
  const details = proven.map(({ text, proof }) =>
    proof?.kind === 'redacted'
      ? { type: 'reasoning.encrypted', data: proof.value }
      : { type: 'reasoning.text', text, signature: proof?.value },
  );
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

function toolCalls(turn: Turn): Message[] {
  return turn.parts.flatMap((part, index) => {
    if (part.type !== 'tool-call') return [];
    const before = turn.parts[index - 1];
    const proof = before?.type === 'reasoning' ? before.proof : undefined;
    return [
      {
        id: part.callId,
        type: 'function',
        function: { name: part.name, arguments: part.arguments },
        ...writeCallProof(signsCall(proof) ? proof?.value : undefined),
      },
    ];
  });
}

/** Results come first, as messages of their own; what else the turn says follows in one message. */
function userMessages(turn: Turn, dropped: string[]): Message[] {
  const results = turn.parts.filter((part) => part.type === 'tool-result');
  // Images and files have no place in a tool message; they follow in the user's.
  const shown = results.flatMap((result) => result.content.filter((part) => part.type !== 'text'));
  const said: UserPart[] = [...shown, ...turn.parts.filter((part) => part.type !== 'tool-result')];
  const messages = results.map(toolMessage);
  const content = userContent(said, dropped);
  if (content.length > 0 || results.length === 0)
    messages.push({ role: 'user', content: content.length > 0 ? content : '' });
  return messages;
}

function toolMessage(result: ToolResultPart): Message {
  const said = result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}, see below]`));
  const text = `${result.isError ? 'Error: ' : ''}${said.join('\n')}`;
  const content = result.cache === undefined ? text : [{ type: 'text', text, ...writeCacheMark(result) }];
  return { role: 'tool', tool_call_id: result.callId, content };
}
