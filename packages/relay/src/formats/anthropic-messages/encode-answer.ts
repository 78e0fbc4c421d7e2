import { argumentsByCall, endOf, headOf } from '../../answer-lookup.ts';
import type { ClientRequest } from '../../client-request.ts';
import type { AnswerEvent } from '../../conversation.ts';
import type { Lost } from '../../format.ts';
import { newId } from '../../new-id.ts';
import { type Proof, writeProof } from '../../proof.ts';
import { inputOf } from '../../tool-input.ts';
import { CitedText } from './cited-text.ts';
import { writeStopReason } from './stop-reasons.ts';
import { writeUsage } from './usage-report.ts';
import { vendorBlocks } from './write-vendor-call.ts';

export type Block = Record<string, unknown>;

export function encodeAnswer(
  events: readonly AnswerEvent[],
  _request: ClientRequest,
  lost: Lost,
): Record<string, unknown> {
  const { id, model, usage } = headOf(events);
  return {
    id: id === '' ? newId('msg_') : id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks(events, lost),
    ...writeStopReason(endOf(events), lost),
    usage: writeUsage(usage),
  };
}

function blocks(events: readonly AnswerEvent[], lost: Lost): Block[] {
  const content: Block[] = [];
  const inputs = argumentsByCall(events);
  const citations = events.flatMap((event) => (event.type === 'citation' ? [event.citation] : []));
  const text = new CitedText(content, citations, lost);
  for (const event of events) {
    switch (event.type) {
      case 'text':
        text.add(event.text);
        break;
      case 'refusal':
        content.push({ type: 'text', text: event.text });
        break;
      case 'reasoning':
        think(content, event.text);
        break;
      case 'reasoning-proof':
        addProof(content, event.proof);
        break;
      case 'tool-call': {
        const input = inputOf(inputs.get(event.index) ?? '');
        content.push({ type: 'tool_use', id: event.callId, name: event.name, input });
        break;
      }
      case 'vendor-call': {
        const { use, result } = vendorBlocks(event.call);
        content.push(use, result);
        break;
      }
      case 'logprobs':
      case 'image':
      case 'audio':
        lost.add(event.type);
        break;
      case 'start':
      case 'tool-arguments':
      case 'citation':
      case 'usage':
      case 'finish':
      default:
    }
  }
  text.cite();
  return content;
}

function think(content: Block[], text: string): void {
  const last = content.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '')
    last['thinking'] = `${String(last['thinking'])}${text}`;
  else content.push({ type: 'thinking', thinking: text, signature: '' });
}

function addProof(content: Block[], proof: Proof): void {
  const written = writeProof(proof, 'anthropic-messages');
  if (proof.kind === 'redacted') content.push({ type: 'redacted_thinking', data: written });
  else sign(content, written);
}

function sign(content: Block[], signature: string): void {
  const last = content.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '') last['signature'] = signature;
  else content.push({ type: 'thinking', thinking: '', signature });
}
