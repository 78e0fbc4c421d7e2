import { keyOf, textOf } from '../../../../json/json.ts';
import type { ClientRequest } from '../../../../model/client-request.ts';
import type { Citation, FoundSource, ResponseEvent, VendorCall } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import { encodeSignature, type ReasoningSignature, UNSIGNED_THOUGHT } from '../../../../model/reasoning-signature.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import { findResponseEnd, findResponseHead, joinArguments } from '../../../../translate/response-head-and-end.ts';
import { toToolInput } from '../../../../translate/tool-input.ts';
import { CitedText } from '../citations.ts';
import { encodeVendorCall } from '../server-tool-calls.ts';
import { writeStopReason } from '../stop-reasons.ts';
import { ThoughtFilter } from '../thought-filter-and-signatures.ts';
import { writeUsage } from '../usage-report.ts';

export type Block = Record<string, unknown>;

export function encodeResponse(
  events: readonly ResponseEvent[],
  { json }: ClientRequest,
  lost: UnsupportedFields,
): Record<string, unknown> {
  const { id, model, usage } = findResponseHead(events);
  const thoughts = new ThoughtFilter(json, lost);
  return {
    id: id === '' ? createId('msg_') : id,
    type: 'message',
    role: 'assistant',
    model,
    content: encodeBlocks(
      events.flatMap((event) => thoughts.push(event)),
      lost,
    ),
    ...writeStopReason(findResponseEnd(events), lost),
    usage: writeUsage(usage),
  };
}

function encodeBlocks(events: readonly ResponseEvent[], lost: UnsupportedFields): Block[] {
  const content: Block[] = [];
  const inputs = joinArguments(events);
  const citations = events.flatMap((event) => (event.type === 'citation' ? [event.citation] : []));
  const text = new CitedText(content, citations, lost);
  const searches = new CitedSearches(citations);
  for (const event of events) {
    switch (event.type) {
      case 'text':
        text.add(event.text);
        break;
      case 'refusal':
        content.push({ type: 'text', text: event.text });
        break;
      case 'reasoning':
        addThought(content, event.text);
        break;
      case 'reasoning-proof':
        addSignature(content, event.signature);
        break;
      case 'tool-call': {
        const input = toToolInput(inputs.get(event.index) ?? '');
        content.push({ type: 'tool_use', id: event.callId, name: event.name, input });
        break;
      }
      case 'vendor-call': {
        const { use, result } = encodeVendorCall(searches.complete(event.call));
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
    block['type'] === 'thinking' && block['signature'] === '' ? { ...block, signature: UNSIGNED_THOUGHT } : block,
  );
}

/**
 * Maximum cited sources in the results of all searches. Each search repeats them: ten thousand searches beside ten
 * thousand citations would exhaust the memory.
 */
const CITED_MAX = 10_000;

/** Adds the cited sources to searches whose vendor doesn't report their results. */
class CitedSearches {
  readonly #sources: readonly FoundSource[];
  #left = CITED_MAX;

  constructor(citations: readonly Citation[]) {
    const titles = new Map(
      citations.flatMap(({ url, title = '' }) => (keyOf(url) === undefined ? [] : [[url ?? '', title] as const])),
    );
    this.#sources = [...titles].map(([url, title]) => ({ url, title }));
  }

  complete(call: VendorCall): VendorCall {
    if (call.tool !== 'web-search' || call.isError === true || (call.sources ?? []).length > 0) return call;
    const sources = this.#sources.slice(0, this.#left);
    this.#left -= sources.length;
    return { ...call, sources };
  }
}

function addThought(content: Block[], text: string): void {
  const last = content.at(-1);
  if (last?.['type'] === 'thinking' && last['signature'] === '')
    last['thinking'] = `${textOf(last['thinking']) ?? ''}${text}`;
  else content.push({ type: 'thinking', thinking: text, signature: '' });
}

function addSignature(content: Block[], signature: ReasoningSignature): void {
  const written = encodeSignature(signature, 'anthropic-messages');
  const last = content.at(-1);
  const hasThought = last?.['type'] === 'thinking' && last['signature'] === '';
  if (signature.kind !== 'redacted' && hasThought) last['signature'] = written;
  else if (signature.kind !== 'redacted' && signature.origin === 'anthropic-messages')
    content.push({ type: 'thinking', thinking: '', signature: written });
  else content.push({ type: 'redacted_thinking', data: written });
}
