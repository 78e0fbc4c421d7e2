import type { ClientRequest } from '../../../model/client-request.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Lost, StreamEncoder } from '../../../model/format.ts';
import { newId } from '../../../model/new-id.ts';
import type { Usage } from '../../../model/usage.ts';
import { writeOpenaiUsage } from '../../openai/openai-usage.ts';
import { asksForUsage } from '../openai-usage-extractor.ts';
import { ChoiceWriter, type Piece } from './choice-writer.ts';
import { writeFinishReason } from './finish-reasons.ts';
import { customToolNames } from './held-calls.ts';

/** First delta of each choice. */
const opening: Piece = { delta: { role: 'assistant', content: '' } };

export function createStreamEncoder({ json }: ClientRequest, lost: Lost): StreamEncoder {
  return new ChunkEncoder(asksForUsage(json), customToolNames(json), lost);
}

class ChunkEncoder implements StreamEncoder {
  readonly #created = Math.floor(Date.now() / 1000);
  #id = '';
  #model = '';
  #usage: Usage | undefined;
  readonly #choices = new Map<number, ChoiceWriter>();
  readonly #includeUsage: boolean;
  readonly #customTools: ReadonlySet<string>;
  readonly #lost: Lost;

  constructor(includeUsage: boolean, customTools: ReadonlySet<string>, lost: Lost) {
    this.#includeUsage = includeUsage;
    this.#customTools = customTools;
    this.#lost = lost;
  }

  push(event: AnswerEvent): string {
    if (event.type === 'start') return this.#start(event.id, event.model);
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const index = event.choice ?? 0;
    const known = this.#choices.get(index);
    const writer = known ?? this.#begin(index);
    const begun = known === undefined ? this.#choice(index, opening) : '';
    if (event.type !== 'finish') return begun + this.#pieces(index, writer.write(event));
    const rest = this.#pieces(index, writer.rest());
    return begun + rest + this.#choice(index, { delta: {} }, writeFinishReason(event.reason, this.#lost));
  }

  end(): string {
    const usage =
      this.#includeUsage && this.#usage !== undefined ? this.#chunk([], writeOpenaiUsage(this.#usage)) : '';
    return `${usage}data: [DONE]\n\n`;
  }

  /** Some upstreams start twice; one answer keeps its first id. */
  #start(id: string, model: string): string {
    if (this.#id !== '') return '';
    this.#id = id === '' ? newId('chatcmpl-') : id;
    this.#model = model;
    this.#begin(0);
    return this.#choice(0, opening);
  }

  #begin(index: number): ChoiceWriter {
    const writer = new ChoiceWriter(this.#customTools, this.#lost);
    this.#choices.set(index, writer);
    return writer;
  }

  #pieces(index: number, pieces: readonly Piece[]): string {
    return pieces.map((piece) => this.#choice(index, piece)).join('');
  }

  #choice(index: number, { delta, logprobs }: Piece, reason: string | null = null): string {
    return this.#chunk([{ index, delta, logprobs: logprobs ?? null, finish_reason: reason }]);
  }

  #chunk(choices: unknown[], usage: unknown = null): string {
    const chunk = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices,
      ...(this.#includeUsage && { usage }),
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
