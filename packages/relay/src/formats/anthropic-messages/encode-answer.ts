import type { AnswerEvent } from '../../conversation.ts';
import type { ClientRequest } from '../../exchange.ts';
import type { Lost } from '../../format.ts';
import { type Proof, writeProof } from '../../proof.ts';
import { inputOf } from '../../tool-input.ts';
import { stopReasons } from './event-encoder.ts';
import { writeUsage } from './usage-report.ts';

type Block = Record<string, unknown>;

const unsaid: ReadonlySet<AnswerEvent['type']> = new Set([
  'vendor-call',
  'citation',
  'logprobs',
  'image',
  'audio',
]);

export function encodeAnswer(
  events: readonly AnswerEvent[],
  _request: ClientRequest,
  lost: Lost,
): Record<string, unknown> {
  for (const { type } of events) if (unsaid.has(type)) lost.add(type);
  const start = events.find((event) => event.type === 'start');
  const finish = events.find((event) => event.type === 'finish');
  const stopSequence = finish?.stopSequence;
  return {
    id: start?.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: start?.model ?? '',
    content: blocks(events),
    stop_reason: stopSequence === undefined ? stopReasons[finish?.reason ?? 'stop'] : 'stop_sequence',
    stop_sequence: stopSequence ?? null,
    usage: writeUsage(events.findLast((event) => event.type === 'usage')?.usage),
  };
}

function blocks(events: readonly AnswerEvent[]): Block[] {
  const content: Block[] = [];
  for (const event of events) {
    if (event.type === 'text' || event.type === 'refusal') append(content, 'text', event.text);
    else if (event.type === 'reasoning') append(content, 'thinking', event.text);
    else if (event.type === 'reasoning-proof') addProof(content, event.proof);
    else if (event.type === 'tool-call') {
      const input = toolInput(events, event.index);
      content.push({ type: 'tool_use', id: event.callId, name: event.name, input });
    }
  }
  return content;
}

function append(content: Block[], type: 'text' | 'thinking', text: string): void {
  const last = content.at(-1);
  const isOpen = last?.['type'] === type && (last['signature'] ?? '') === '';
  if (last !== undefined && isOpen) last[type] = `${String(last[type])}${text}`;
  else content.push(type === 'text' ? { type, text } : { type, thinking: text, signature: '' });
}

function addProof(content: Block[], proof: Proof): void {
  const written = writeProof(proof, 'anthropic-messages');
  if (proof.kind === 'redacted') content.push({ type: 'redacted_thinking', data: written });
  else sign(content, written);
}

function sign(content: Block[], signature: string): void {
  const last = content.at(-1);
  if (last?.['type'] === 'thinking') last['signature'] = signature;
  else content.push({ type: 'thinking', thinking: '', signature });
}

function toolInput(events: readonly AnswerEvent[], index: number): unknown {
  const text = events
    .map((event) => (event.type === 'tool-arguments' && event.index === index ? event.text : ''))
    .join('');
  return inputOf(text);
}
