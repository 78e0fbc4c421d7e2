import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Lost, StreamDecoder } from '../../../model/format.ts';
import { emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

/** More than an answer rests on. */
const CITATIONS_MAX = 20;

export function createStreamDecoder(lost: Lost): StreamDecoder {
  return new DifyDecoder(lost);
}

/** Events say in `event` what they are. Errors are read before. */
class DifyDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #isStarted = false;
  #length = 0;
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  push(event: JsonObject): AnswerEvent[] {
    const kind = event['event'];
    switch (kind) {
      case 'message':
      case 'agent_message':
        return [...this.#start(event), ...this.#text(event['answer'])];
      case 'agent_thought':
        return [...this.#start(event), ...reasoning(event['thought'])];
      // What was delivered cannot be taken back.
      case 'message_replace':
      case 'message_file':
        this.#lost.add(kind);
        return [];
      case 'message_end':
        return [...this.#start(event), ...this.#finish(objectOf(event['metadata']))];
      default:
        return [];
    }
  }

  /** The end has been told. */
  end(): AnswerEvent[] {
    return [];
  }

  #start({ message_id, id }: JsonObject): AnswerEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ type: 'start', id: textOf(message_id) ?? textOf(id) ?? '', model: '' }];
  }

  #text(answer: unknown): AnswerEvent[] {
    const text = textOf(answer);
    this.#length += text?.length ?? 0;
    return text === undefined ? [] : [{ type: 'text', text }];
  }

  #report(report: unknown): AnswerEvent[] {
    if (!isObject(report)) return [];
    const input = tokenCount(report['prompt_tokens']);
    const output = tokenCount(report['completion_tokens']);
    this.usage = { ...emptyUsage(), input, output };
    return [{ type: 'usage', usage: this.usage }];
  }

  #finish({ usage, retriever_resources: resources }: JsonObject): AnswerEvent[] {
    const citations = listOf(resources).slice(0, CITATIONS_MAX).map(objectOf);
    return [
      ...citations.map(({ document_name, content }): AnswerEvent => {
        const source = { title: textOf(document_name), quote: textOf(content) };
        return { type: 'citation', citation: { ...source, start: 0, end: this.#length } };
      }),
      ...this.#report(usage),
      { type: 'finish', reason: 'stop' },
    ];
  }
}

function reasoning(thought: unknown): AnswerEvent[] {
  const text = textOf(thought);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}
