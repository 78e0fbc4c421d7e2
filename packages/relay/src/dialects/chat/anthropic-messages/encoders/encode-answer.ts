import type { ClientRequest } from '../../../../model/client-request.ts';
import type { AnswerEvent, Citation, VendorCall } from '../../../../model/conversation.ts';
import type { Lost } from '../../../../model/format.ts';
import { newId } from '../../../../model/new-id.ts';
import { NO_PROOF, type Proof, writeProof } from '../../../../model/reasoning-signature.ts';
import { argumentsByCall, endOf, headOf } from '../../../../translate/answer-lookup.ts';
import { inputOf } from '../../../../translate/tool-input.ts';
import { CitedText } from '../cited-text.ts';
import { ShownThoughts } from '../shown-thoughts.ts';
import { writeStopReason } from '../stop-reasons.ts';
import { writeUsage } from '../usage-report.ts';
import { vendorBlocks } from './write-vendor-call.ts';

export type Block = Record<string, unknown>;

export function encodeAnswer(
  events: readonly AnswerEvent[],
  { json }: ClientRequest,
  lost: Lost,
): Record<string, unknown> {
  const { id, model, usage } = headOf(events);
  const thoughts = new ShownThoughts(json, lost);
  return {
    id: id === '' ? newId('msg_') : id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks(
      events.flatMap((event) => thoughts.push(event)),
      lost,
    ),
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
        const { use, result } = vendorBlocks(withCitedSources(event.call, citations));
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
  return content.map((block) =>
    block['type'] === 'thinking' && block['signature'] === '' ? { ...block, signature: NO_PROOF } : block,
  );
}

/** A vendor that does not tell what a search has found cites some of it. */
function withCitedSources(call: VendorCall, citations: readonly Citation[]): VendorCall {
  if (call.tool !== 'web-search' || call.isError === true || (call.sources ?? []).length > 0) return call;
  const cited = new Map(
    citations.flatMap(({ url, title = '' }) => (url === undefined ? [] : [[url, title] as const])),
  );
  return { ...call, sources: [...cited].map(([url, title]) => ({ url, title })) };
}

function think(content: Block[], text: string): void {
  const last = content.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '')
    last['thinking'] = `${String(last['thinking'])}${text}`;
  else content.push({ type: 'thinking', thinking: text, signature: '' });
}

function addProof(content: Block[], proof: Proof): void {
  const written = writeProof(proof, 'anthropic-messages');
  const last = content.at(-1);
  const hasThought = last?.['type'] === 'thinking' && last['signature'] === '';
  if (proof.kind !== 'redacted' && hasThought) last['signature'] = written;
  else if (proof.kind !== 'redacted' && proof.origin === 'anthropic-messages')
    content.push({ type: 'thinking', thinking: '', signature: written });
  else content.push({ type: 'redacted_thinking', data: written });
}
